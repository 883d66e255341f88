import { dateText } from "./dates.js";

document.querySelector("#today").textContent = dateText(new Date());
