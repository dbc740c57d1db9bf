package jsonform

// skip takes any value and forgets it, after a fault in it was noted.
func (r *reader) skip() bool {
	switch c := r.next(); c {
	case '{':
		return r.skipObject()
	case '[':
		return r.skipList()
	case '"':
		_, ok := r.str()
		return ok
	case 't':
		return r.literal("true")
	case 'f':
		return r.literal("false")
	case 'n':
		return r.literal("null")
	default:
		if c != '-' && (c < '0' || c > '9') {
			return r.malformed("%s, want a value", r.found())
		}
		_, ok := r.number()
		return ok
	}
}

func (r *reader) skipObject() bool {
	if !r.enter() {
		return false
	}
	another, ok := r.next() != '}', true
	for another {
		if _, ok = r.key(); !ok || !r.skip() {
			return false
		}
		if another, ok = r.more('}'); !ok {
			return false
		}
	}
	r.leave()
	return true
}

func (r *reader) skipList() bool {
	if !r.enter() {
		return false
	}
	another, ok := r.next() != ']', true
	for another {
		if !r.skip() {
			return false
		}
		if another, ok = r.more(']'); !ok {
			return false
		}
	}
	r.leave()
	return true
}

// kind names the value that comes next, for a fault about it.
func (r *reader) kind() string {
	switch r.next() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// unwanted notes a value of another kind than wanted, and skips it. What is no value at all is not JSON.
func (r *reader) unwanted(want string) bool {
	return r.fault("is %s, want %s", r.kind(), want) && r.skip()
}
