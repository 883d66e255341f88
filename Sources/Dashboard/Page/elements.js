/* The two ways in which the page makes elements. Children are elements or text, and text is set as text: nothing is
   ever parsed as markup, and Trusted Types would make an attempt throw. */

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: attributes, then children; arrays are opened, null and false left out. */
export function html(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Replaces what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...kept(children));
  return element;
}

/** Text from a device or an operator: isolated, so that its direction ends with it, and whole in the title. */
export function outside(text, className = "name") {
  return html("bdi", { class: className, title: text }, text);
}

/* `on` has listeners, `style` properties, `data` data attributes; true is an empty attribute. */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "style") {
      for (const [property, text] of Object.entries(value)) element.style.setProperty(property, String(text));
    } else if (name === "data") {
      for (const [key, text] of Object.entries(value)) if (text !== null && text !== undefined) element.dataset[key] = text;
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...kept(children));
  return element;
}

function kept(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}
