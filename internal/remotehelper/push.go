package remotehelper

import (
	"context"
	"errors"
)

// Pusher pushes refs to the chain.
type Pusher struct{}

func (h *Helper) push(context.Context, []string) error {
	return errors.New("push is not supported yet")
}
