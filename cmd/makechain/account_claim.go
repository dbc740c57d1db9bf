package main

import (
	"bytes"
	"fmt"
	"os"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
	"makechain/message"
)

// readClaim reads a STORAGE_CLAIM message that was made for the owner.
func readClaim(path string, owner message.Address) (*pb.StorageClaimBody, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--claim: %w", err)
	}
	defer func() { _ = file.Close() }()
	content, err := readBounded(file, path)
	if err != nil {
		return nil, fmt.Errorf("--claim: %w", err)
	}
	claim := new(pb.Message)
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		err = jsonform.Unmarshal(content, claim)
	} else {
		err = proto.Unmarshal(content, claim)
	}
	if err != nil {
		return nil, fmt.Errorf("--claim: %s: %w", path, err)
	}
	body := claim.GetData().GetStorageClaim()
	if body == nil {
		return nil, fmt.Errorf("--claim: %s is not a STORAGE_CLAIM message", path)
	}
	if !bytes.Equal(claim.GetData().GetOwnerAddress(), owner[:]) {
		return nil, fmt.Errorf("--claim: %s is for account 0x%x, and this is %s", path, claim.GetData().GetOwnerAddress(), owner)
	}
	return body, nil
}
