package limit

// Estimates of the memory that a decoded value needs in addition to its text.
const (
	objectBytes  = 256
	elementBytes = 32
)

// CheckJSON returns an error for a document that takes much more memory decoded, or that is nested too deep. It allocates
// nothing. It is correct for every text that a decoder of JSON accepts, and up to the place where a decoder stops.
func CheckJSON(text []byte) error {
	left, depth := maxExpansion*len(text)+expansionAllowance, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			start := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			left -= i - start
		case '{', '[':
			if depth++; depth > maxDepth {
				return ErrDepth
			}
			left -= objectBytes
		case '}', ']':
			depth--
		case ',':
			left -= elementBytes
		}
		if left < 0 {
			return ErrExpansion
		}
	}
	return nil
}
