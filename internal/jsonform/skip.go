package jsonform

// skip takes any value and forgets it, after a fault in it was noted.
func (r *reader) skip() bool {
	switch c := r.next(); c {
	case '{':
		return r.items('}', func(int) bool {
			_, ok := r.key()
			return ok && r.skip()
		})
	case '[':
		return r.items(']', func(int) bool { return r.skip() })
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
