package main

import (
	"encoding/json"
	"net/http"
)

// resource is what a device says of itself.
type resource struct {
	Installation *string `json:"app.installation.id"`
	Device       *string `json:"device.id"`
	OSName       *string `json:"os.name"`
	OSVersion    *string `json:"os.version"`
	Model        *string `json:"device.model.identifier"`
	Manufacturer *string `json:"device.manufacturer"`
	Version      *string `json:"service.version"`
	Build        *string `json:"app.build_id"`
	SDK          *string `json:"telemetry.sdk.name"`
	SDKVersion   *string `json:"telemetry.sdk.version"`
}

func (r *resource) described() []*string {
	return []*string{r.OSName, r.OSVersion, r.Model, r.Manufacturer, r.Version, r.Build, r.SDK, r.SDKVersion}
}

// sent is a batch as a device sends it (docs/protocol.md, "The batch").
type sent struct {
	Schema        *int              `json:"schema"`
	BatchID       string            `json:"batch_id"`
	SentAt        *int64            `json:"sent_at"`
	Sequence      *int64            `json:"sequence"`
	DroppedEvents *int64            `json:"dropped_events"`
	Resource      resource          `json:"resource"`
	Events        []json.RawMessage `json:"events"`
}

type event struct {
	Name       string                     `json:"name"`
	Time       *int64                     `json:"time"`
	Attributes map[string]json.RawMessage `json:"attributes"`
}

// row is an event as it is stored: the session has a column of its own, the other attributes are kept as JSON.
type row struct {
	name                string
	time                int64
	session, attributes *string
}

// judged is a batch that is taken.
type judged struct {
	sent
	app, device string
	deviceHash  []byte
	receivedAt  int64
	rows        []row
}

const (
	largest = 1<<53 - 1
	oldest  = 400 * 86_400_000
	newest  = 86_400_000
)

var required = map[string]string{
	"session.start": "session.id", "session.resume": "session.id", "session.end": "session.id",
	"screen.view": "app.screen.name", "usage.counter": "counter.name", "content.view": "content.id",
	"content.complete": "content.id", "video.enter_fullscreen": "video.id",
	"video.exit_fullscreen": "video.id", "webview.event": "webview.event.name",
}

// judge applies the rules of docs/protocol.md, "Members" and "Events"; clocks are not corrected.
func judge(text []byte, receivedAt int64) (*judged, error) {
	invalid := func(code string) error { return refusal{http.StatusUnprocessableEntity, code} }
	batch := &judged{receivedAt: receivedAt}
	if err := json.Unmarshal(text, &batch.sent); err != nil {
		if _, ok := err.(*json.SyntaxError); ok {
			return nil, refusal{http.StatusBadRequest, "malformed-json"}
		}
		return nil, invalid("invalid-batch")
	}
	if batch.Schema != nil && *batch.Schema != 1 {
		return nil, invalid("unsupported-schema")
	}
	if !isID(batch.BatchID) {
		return nil, invalid("invalid-batch")
	}
	for _, number := range []*int64{batch.SentAt, batch.Sequence, batch.DroppedEvents} {
		if number != nil && (*number < 0 || *number > largest) {
			return nil, invalid("invalid-batch")
		}
	}
	device := batch.Resource.Installation
	if device == nil {
		device = batch.Resource.Device
	}
	if device == nil || len(*device) < 1 || len(*device) > 256 {
		return nil, invalid("invalid-device-id")
	}
	for _, text := range batch.Resource.described() {
		if text != nil && len(*text) > 128 {
			return nil, invalid("invalid-resource")
		}
	}
	if len(batch.Events) > 5000 {
		return nil, refusal{http.StatusRequestEntityTooLarge, "too-many-events"}
	}
	batch.device = *device
	batch.rows = make([]row, 0, len(batch.Events))
	for _, text := range batch.Events {
		var one event
		// One that is wrong is rejected, and the rest stays good.
		if json.Unmarshal(text, &one) != nil {
			continue
		}
		if row, ok := accept(&one, receivedAt); ok {
			batch.rows = append(batch.rows, row)
		}
	}
	return batch, nil
}

func accept(one *event, arrival int64) (row, bool) {
	if one.Time == nil || *one.Time < arrival-oldest || *one.Time > arrival+newest ||
		len(one.Name) > 64 || !isName(one.Name) || len(one.Attributes) > 32 {
		return row{}, false
	}
	found := row{name: one.Name, time: *one.Time}
	needed, isNeeded := required[one.Name]
	for key, value := range one.Attributes {
		if len(key) < 1 || len(key) > 64 || len(value) < 1 || value[0] == '{' || value[0] == '[' || value[0] == 'n' {
			return row{}, false
		}
		if value[0] != '"' {
			if key == "session.id" || key == needed {
				return row{}, false
			}
			continue
		}
		length := len(value) - 2
		if length > 1024 || key == "session.id" && (length < 1 || length > 64) ||
			key == needed && (length < 1 || length > 128) {
			return row{}, false
		}
		if key == needed {
			isNeeded = false
		}
	}
	if isNeeded {
		return row{}, false
	}
	if session, ok := one.Attributes["session.id"]; ok {
		var text string
		if json.Unmarshal(session, &text) != nil {
			return row{}, false
		}
		found.session = &text
		delete(one.Attributes, "session.id")
	}
	if len(one.Attributes) > 0 {
		text, err := json.Marshal(one.Attributes)
		if err != nil {
			return row{}, false
		}
		object := string(text)
		found.attributes = &object
	}
	return found, true
}

// isName says whether it is of the form [a-z][a-z0-9_]*(\.[a-z0-9_]+)*.
func isName(name string) bool {
	last := byte('.')
	for index := 0; index < len(name); index++ {
		one := name[index]
		isLetter := one >= 'a' && one <= 'z'
		if index == 0 && !isLetter || one == '.' && last == '.' ||
			!isLetter && one != '.' && one != '_' && (one < '0' || one > '9') {
			return false
		}
		last = one
	}
	return last != '.'
}

// isID says whether it is of the form [A-Za-z0-9._:-]{1,64}.
func isID(id string) bool {
	for index := 0; index < len(id); index++ {
		one := id[index]
		letter := one | 0x20
		if (letter < 'a' || letter > 'z') && (one < '0' || one > '9') && one != '.' && one != ':' && one != '_' && one != '-' {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= 64
}
