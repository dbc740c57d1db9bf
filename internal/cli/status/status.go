// Package status has the command that shows the status of a node.
package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/settings"
	"makechain/internal/jsonform"
	"makechain/internal/node"
	"makechain/internal/term"
	"makechain/proof/finality"
)

// rateBlocks is the number of the latest blocks over which the rate of messages is computed.
const rateBlocks = 50

// report is the status of a node.
type report struct {
	status  *pb.GetNodeStatusResponse
	health  *pb.GetHealthResponse
	mempool *pb.GetMempoolInfoResponse
	stats   *pb.GetChainStatsResponse
	recent  *pb.ListBlocksResponse
	disk    *uint64 // in bytes, nil when the home is not on this machine
}

// New returns the command status.
func New() *cobra.Command {
	var flags query.Flags
	var home string
	command := &cobra.Command{
		Use:     "status",
		Short:   "Show node status: height, peers, mempool, message rate and disk usage",
		Long:    "The disk usage is shown if the home of the node is on this machine (--home).",
		Example: "  makechain status\n  makechain status --node node.example:50051 --json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return flags.Run(command, func(q *query.Query) error {
				s, err := read(q.Context(), q.Client)
				if err != nil {
					return err
				}
				if s.disk, err = diskUse(home, s.status.GetChainId(), command.Flags().Changed(settings.HomeFlag)); err != nil {
					return err
				}
				return s.print(q)
			})
		},
	}
	flags.Register(command)
	command.Flags().StringVar(&home, settings.HomeFlag, node.DefaultHome, "home of the node, if it is on this machine")
	return command
}

func read(ctx context.Context, c *client.Client) (*report, error) {
	s := new(report)
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return nil, err
	}
	s.status = status
	if s.health, err = client.Call(ctx, c.GetHealth, &pb.GetHealthRequest{}); err != nil {
		return nil, err
	}
	if s.mempool, err = client.Call(ctx, c.GetMempoolInfo, &pb.GetMempoolInfoRequest{}); err != nil {
		return nil, err
	}
	if s.stats, err = client.Call(ctx, c.GetChainStats, &pb.GetChainStatsRequest{}); err != nil {
		return nil, err
	}
	s.recent, err = client.Call(ctx, c.ListBlocks, &pb.ListBlocksRequest{Limit: rateBlocks})
	if connect.CodeOf(err) == connect.CodeOutOfRange {
		err = nil // a node that started from a snapshot has no blocks yet
	}
	return s, err
}

// diskUse returns the size of the files of a home of the chain. The default home may be missing or of another chain; then
// the result is nil.
func diskUse(home, chainID string, named bool) (*uint64, error) {
	if wrong := checkHome(home, chainID); wrong != nil {
		if named {
			return nil, fmt.Errorf("--home: %w", wrong)
		}
		return nil, nil
	}
	total := uint64(0)
	err := filepath.WalkDir(home, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a running node removes files
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		if info, err := entry.Info(); err == nil {
			total += uint64(info.Size())
		}
		return nil
	})
	return &total, err
}

// checkHome returns an error unless a home is of a chain.
func checkHome(home, chainID string) error {
	document, err := os.ReadFile(filepath.Join(home, "config", "genesis.json"))
	if err != nil {
		return err
	}
	known, err := finality.TrustGenesis(document)
	if err == nil && known.ChainID != chainID {
		err = fmt.Errorf("it is the home of chain %s, and the node serves %s", known.ChainID, chainID)
	}
	return err
}

// rate counts the messages of the latest blocks, and the seconds between the block before the first of them and the last.
func (s *report) rate() (messages int, blocks int, seconds uint64) {
	list := s.recent.GetBlocks()
	if len(list) < 2 {
		return 0, 0, 0
	}
	for _, block := range list[:len(list)-1] {
		messages += len(query.BlockMessages(block))
	}
	newest, oldest := list[0].GetBlock().GetHeader().GetTimestamp(), list[len(list)-1].GetBlock().GetHeader().GetTimestamp()
	return messages, len(list) - 1, newest - min(oldest, newest)
}

// headTime returns the time of the latest block in Unix seconds.
func (s *report) headTime() uint64 {
	if list := s.recent.GetBlocks(); len(list) > 0 {
		return list[0].GetBlock().GetHeader().GetTimestamp()
	}
	return 0
}

func (s *report) print(q *query.Query) error {
	if q.JSON() {
		return s.writeJSON(q.Command)
	}
	p := q.Printer()
	uptime := strings.TrimSuffix(term.Relative(time.Duration(s.status.GetUptimeSecs())*time.Second), " ago")
	facts := []term.Fact{
		{Label: "node", Value: fmt.Sprintf("%s, version %s, up %s", q.Client.Target(), term.Text(s.status.GetVersion()), uptime)},
		{Label: "chain", Value: fmt.Sprintf("%s (%s)", term.Text(s.status.GetChainId()), output.Enum(s.status.GetNetwork(), "NETWORK_"))},
		{Label: "height", Value: fmt.Sprintf("%d, %s", s.status.GetCurrentBlock(), p.Time(s.headTime()))},
		{Label: "state", Value: s.state(p)},
		{Label: "peers", Value: output.Number(s.status.GetPeerCount())},
		{Label: "mempool", Value: s.describeMempool()},
		{Label: "rate", Value: s.describeRate()},
		{Label: "messages", Value: output.Number(s.stats.GetTotalMessages())},
		{Label: "rows", Value: output.Number(s.stats.GetStateEntries())},
		{Label: "accounts", Value: output.Number(s.stats.GetTotalAccounts())},
		{Label: "projects", Value: fmt.Sprintf("%d, with %s and %s", s.stats.GetTotalProjects(),
			term.Count(uint64(s.stats.GetTotalRefs()), "ref"), term.Count(uint64(s.stats.GetTotalCommits()), "commit"))},
	}
	if s.disk != nil {
		facts = append(facts, term.Fact{Label: "disk", Value: term.Size(*s.disk)})
	}
	p.Facts(facts...)
	return p.Err()
}

// state returns the readiness of the node.
func (s *report) state(p *output.Printer) string {
	switch {
	case s.status.GetCatchingUp():
		return p.Style(term.Yellow, "catching up")
	case s.health.GetServing() && s.health.GetReady():
		return p.Style(term.Green, "ready")
	default:
		return p.Style(term.Red, "not ready")
	}
}

func (s *report) describeMempool() string {
	text := fmt.Sprintf("%d of %d", s.mempool.GetTotal(), s.mempool.GetCapacity())
	var kinds []string
	for _, kind := range s.mempool.GetTypeBreakdown() {
		kinds = append(kinds, fmt.Sprintf("%d %s", kind.GetCount(), output.Type(kind.GetMessageType())))
	}
	if len(kinds) == 0 {
		return text
	}
	return text + ": " + strings.Join(kinds, ", ")
}

func (s *report) describeRate() string {
	messages, blocks, seconds := s.rate()
	if blocks == 0 {
		return "no blocks yet"
	}
	text := fmt.Sprintf("%s in the last %s", term.Count(uint64(messages), "message"), term.Count(uint64(blocks), "block"))
	if seconds == 0 {
		return text
	}
	return fmt.Sprintf("%s, %.1f per second", text, float64(messages)/float64(seconds))
}

// writeJSON writes the answers of the node in the JSON form of the gateway, with the values derived from them.
func (s *report) writeJSON(command *cobra.Command) error {
	messages, blocks, seconds := s.rate()
	answer := struct {
		Status    json.RawMessage `json:"status"`
		Health    json.RawMessage `json:"health"`
		Mempool   json.RawMessage `json:"mempool"`
		Stats     json.RawMessage `json:"stats"`
		BlockTime uint64          `json:"block_time,string"`
		Rate      any             `json:"rate"`
		Disk      *uint64         `json:"disk_bytes,string"`
	}{BlockTime: s.headTime(), Disk: s.disk, Rate: struct {
		Messages int    `json:"messages"`
		Blocks   int    `json:"blocks"`
		Seconds  uint64 `json:"seconds,string"`
	}{messages, blocks, seconds}}
	for _, part := range []struct {
		into *json.RawMessage
		from proto.Message
	}{{&answer.Status, s.status}, {&answer.Health, s.health}, {&answer.Mempool, s.mempool}, {&answer.Stats, s.stats}} {
		encoded, err := jsonform.Marshal(part.from)
		if err != nil {
			return err
		}
		*part.into = encoded
	}
	return json.NewEncoder(command.OutOrStdout()).Encode(answer)
}
