package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// recentPages is how many pages of the latest blocks are looked through for a message of which the first digits are
// known. Messages are no rows of the state, so there is no proof to find them by.
const recentPages = 5

const wantMessage = "the hash of a message (64 hex digits, or the first 4 or more), or its place (12-3)"

// messageNamed finds the hash of a message that a person names.
func messageNamed(ctx context.Context, c *client.Client, name string) (message.Hash, error) {
	digits := strings.ToLower(strings.TrimPrefix(name, "0x"))
	if hash, err := ident.ParseHash(digits); err == nil {
		return hash, nil
	}
	if at, err := parsePlace(name); err == nil && at.hasIndex {
		return messageAt(ctx, c, at)
	}
	_, err := hex.DecodeString(digits + strings.Repeat("0", len(digits)%2))
	if err != nil || len(digits) < client.MinPrefix || len(digits) > 2*ident.HashSize {
		return message.Hash{}, &client.NameError{Name: name, Want: wantMessage}
	}
	return recentMessage(ctx, c, digits)
}

// messageAt finds the message at a place.
func messageAt(ctx context.Context, c *client.Client, at chainPlace) (message.Hash, error) {
	block, err := client.Call(ctx, c.GetBlock, &pb.GetBlockRequest{BlockNumber: at.block})
	if err != nil {
		return message.Hash{}, err
	}
	messages := blockMessages(block)
	if uint64(at.index) >= uint64(len(messages)) {
		return message.Hash{}, advise(&client.NotFoundError{Kind: "message", Name: at.String()},
			"makechain block get %d, which has %d of them", at.block, len(messages))
	}
	hash, ok := ident.HashFrom(messages[at.index].GetHash())
	if !ok {
		return hash, fmt.Errorf("message %s has a hash of %d bytes", at, len(messages[at.index].GetHash()))
	}
	return hash, nil
}

// recentMessage finds the one message of the latest blocks whose hash begins with some digits.
func recentMessage(ctx context.Context, c *client.Client, digits string) (message.Hash, error) {
	var found []message.Hash
	start := uint64(0) // the latest
	for range recentPages {
		page, err := client.Call(ctx, c.ListBlocks, &pb.ListBlocksRequest{Start: start, Limit: maxPage})
		if err != nil {
			return message.Hash{}, err
		}
		lowest := uint64(0)
		for _, block := range page.GetBlocks() {
			lowest = block.GetBlock().GetHeader().GetHeight().GetBlockNumber()
			for _, m := range blockMessages(block) {
				if hash, ok := ident.HashFrom(m.GetHash()); ok && strings.HasPrefix(hash.String(), digits) {
					found = append(found, hash)
				}
			}
		}
		if lowest <= 1 {
			break
		}
		start = lowest - 1
	}
	switch len(found) {
	case 0:
		return message.Hash{}, advise(&client.NotFoundError{Kind: "message", Name: digits},
			"the whole hash; short ones are looked for in the latest blocks only")
	case 1:
		return found[0], nil
	default:
		ambiguous := &client.AmbiguousError{Kind: "message", Name: digits}
		for _, hash := range found {
			ambiguous.Candidates = append(ambiguous.Candidates, hash.String())
		}
		return message.Hash{}, ambiguous
	}
}

// blockMessages are the messages of a block in their order.
func blockMessages(block *pb.GetBlockResponse) []*pb.Message {
	payload := block.GetExecutionPayload()
	messages := payload.GetAccountMessages()
	for _, project := range payload.GetProjectMessages() {
		messages = append(slices.Clip(messages), project.GetMessages()...)
	}
	return messages
}

// chainPlace is a block, or a message in it.
type chainPlace struct {
	block    uint64
	index    uint32
	hasIndex bool
}

// parsePlace reads "12" and "12-3".
func parsePlace(text string) (at chainPlace, err error) {
	block, index, hasIndex := strings.Cut(text, "-")
	if at.block, err = strconv.ParseUint(block, 10, 63); err != nil {
		return chainPlace{}, fmt.Errorf("%q is neither a block (12) nor a message in one (12-3)", text)
	}
	if hasIndex {
		number, err := strconv.ParseUint(index, 10, 31)
		if err != nil {
			return chainPlace{}, fmt.Errorf("%q is neither a block (12) nor a message in one (12-3)", text)
		}
		at.index, at.hasIndex = uint32(number), true
	}
	return at, nil
}

// String is the place as parsePlace reads it.
func (at chainPlace) String() string {
	if !at.hasIndex {
		return strconv.FormatUint(at.block, 10)
	}
	return place(at.block, at.index)
}

// place names a message by where it is, as the streams of the gateway do.
func place(block uint64, index uint32) string { return fmt.Sprintf("%d-%d", block, index) }
