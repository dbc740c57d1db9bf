// Package message makes, encodes, signs and checks the messages of the protocol.
package message
