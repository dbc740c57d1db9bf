package push

import (
	"makechain/internal/cli/query"
	"makechain/internal/cli/stores"
	"makechain/internal/push"
	"makechain/internal/remotehelper"
	"makechain/message"
)

// open unlocks the key of the account, and opens the stores that the content of the push is uploaded to. There is no uploader
// for a push without content, or whose content has been published elsewhere (--digest).
func (p *pusher) open(q *query.Query, config *remotehelper.Config, project message.Hash) (*message.Author, push.Uploader, error) {
	if p.noContent || p.plans || p.digest != "" {
		author, err := p.Author(q)
		return author, nil, err
	}
	helper, keys, err := stores.Connect(q.Context(), p.Connection.Node, q.Client, config, q.Command.ErrOrStderr(),
		func() (*message.Author, error) { return p.Author(q) })
	if err != nil {
		return nil, nil, err
	}
	author, err := keys.Author()
	if err != nil {
		return nil, nil, err
	}
	uploader, err := helper.OpenUploader(q.Context(), project)
	return author, uploader, err
}
