package explorer

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/usage"
	"makechain/message"
	"makechain/proof/finality"
	"makechain/web"
)

// Sources of trust, as in the description of the page.
const (
	fromGenesis   = "genesis"
	fromBlock     = "trust"
	fromFirstSeen = "first_seen"
)

// trustTimeout is how long a request for the description waits for the node.
const trustTimeout = 10 * time.Second

// trust determines which validators the page trusts, and verifies that they are those of the node's chain.
type trust struct {
	flags  connection.Flags
	block  string // --trust
	period time.Duration

	number uint64 // of --trust
	hash   message.Hash
	client *client.Client

	mu    sync.Mutex // guards known
	known *web.Trust // nil until the node's chain was verified
}

func (t *trust) register(flags *pflag.FlagSet) {
	t.flags.Register(flags)
	flags.StringVar(&t.block, "trust", "", "trusted block, as number:hash")
	flags.DurationVar(&t.period, "trust-period", finality.DefaultTrustingPeriod, "with --trust, the trusting period: the maximum age of the block")
}

// connect prepares the connection to the node.
func (t *trust) connect(command *cobra.Command) (err error) {
	if t.block != "" {
		if t.flags.Genesis != "" {
			return usage.Errorf(command, "--genesis and --trust exclude one another: give one")
		}
		if t.number, t.hash, err = connection.ParseTrustedBlock(t.block); err != nil {
			return usage.Errorf(command, "--trust: %w", err)
		}
		t.flags.Options = append(t.flags.Options, client.WithTrustSource(t.trustBlock))
	}
	t.client, err = t.flags.Dial(command)
	return err
}

func (t *trust) close() { t.client.Close() }

// trustBlock returns the validators of the block of --trust.
func (t *trust) trustBlock(ctx context.Context, c *client.Client) (finality.Trust, error) {
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return finality.Trust{}, err
	}
	anchor := finality.TrustedBlock{ChainID: status.GetChainId(), Number: t.number, Hash: t.hash}
	follower, err := finality.NewLightClient(ctx, anchor, c, finality.Options{Now: time.Now, TrustingPeriod: t.period})
	if err != nil {
		return finality.Trust{}, err
	}
	return follower.Trust(ctx, t.number-1) // the block itself has the root after the one before it
}

// first verifies the node's chain when the command starts, and describes whom the page trusts.
func (t *trust) first(ctx context.Context) (string, error) {
	known, err := t.get(ctx)
	if err != nil {
		return "", errors.Unwrap(err)
	}
	from := map[string]string{fromGenesis: t.flags.Genesis, fromBlock: "block " + t.block, fromFirstSeen: "the chain first seen"}[known.Source]
	return fmt.Sprintf("%s, chain %s", from, known.ChainID), nil
}

// get returns the validators that the page trusts, after it has verified once that they sign the blocks of the node. The error
// wraps that of the node.
func (t *trust) get(ctx context.Context) (*web.Trust, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known != nil {
		return t.known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, trustTimeout)
	defer cancel()
	start, err := t.client.Trust(ctx)
	if err == nil {
		err = t.client.VerifyChain(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("the chain of the node at %s cannot be verified: %w", t.client.Target(), err)
	}
	source := fromFirstSeen
	switch {
	case t.flags.Genesis != "":
		source = fromGenesis
	case t.block != "":
		source = fromBlock
	}
	t.known = &web.Trust{
		Source: source, ChainID: start.ChainID, ValidatorsHash: hex.EncodeToString(start.ValidatorsHash), BlockNumber: strconv.FormatUint(start.Number, 10),
	}
	return t.known, nil
}
