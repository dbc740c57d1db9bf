package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
	"makechain/internal/node"
	"makechain/internal/term"
	"makechain/proof/finality"
)

// rateBlocks is over how many of the latest blocks the rate of messages is taken.
const rateBlocks = 50

// statusReport is what one screen says about a node.
type statusReport struct {
	status  *pb.GetNodeStatusResponse
	health  *pb.GetHealthResponse
	mempool *pb.GetMempoolInfoResponse
	stats   *pb.GetChainStatsResponse
	recent  *pb.ListBlocksResponse
	disk    *uint64 // bytes, nil when the home is not of this machine
}

func newStatusCommand() *cobra.Command {
	var r remote
	var home string
	command := &cobra.Command{
		Use:   "status",
		Short: "Show how a node is: height, peers, mempool, rate, disk",
		Long: `Show how a node is: height, peers, mempool, rate, disk.

The use of disk is shown when the home of the node is on this machine, which --home says.`,
		Example: "  makechain status\n  makechain status --node node.example:50051 --json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				report, err := readStatus(ctx, c)
				if err != nil {
					return err
				}
				if report.disk, err = diskUse(home, report.status.GetChainId(), command.Flags().Changed("home")); err != nil {
					return err
				}
				return r.printStatus(command, c, report)
			})
		},
	}
	r.register(command)
	command.Flags().StringVar(&home, "home", node.DefaultHome, "home of the node, if it is on this machine")
	return command
}

func readStatus(ctx context.Context, c *client.Client) (*statusReport, error) {
	report := new(statusReport)
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return nil, err
	}
	report.status = status
	if report.health, err = client.Call(ctx, c.GetHealth, &pb.GetHealthRequest{}); err != nil {
		return nil, err
	}
	if report.mempool, err = client.Call(ctx, c.GetMempoolInfo, &pb.GetMempoolInfoRequest{}); err != nil {
		return nil, err
	}
	if report.stats, err = client.Call(ctx, c.GetChainStats, &pb.GetChainStatsRequest{}); err != nil {
		return nil, err
	}
	report.recent, err = client.Call(ctx, c.ListBlocks, &pb.ListBlocksRequest{Limit: rateBlocks})
	if connect.CodeOf(err) == connect.CodeOutOfRange {
		err = nil // a node that began with a snapshot has no block yet
	}
	return report, err
}

// diskUse adds up the files of a home, if it is that of the chain. A home that nobody named need not be there.
func diskUse(home, chainID string, named bool) (*uint64, error) {
	if wrong := checkHome(home, chainID); wrong != nil {
		if named {
			return nil, fmt.Errorf("--home: %w", wrong)
		}
		return nil, nil
	}
	total := uint64(0)
	err := filepath.WalkDir(home, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // a running node tidies up meanwhile
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

// checkHome says what is wrong with a home that should be of a chain.
func checkHome(home, chainID string) error {
	document, err := os.ReadFile(filepath.Join(home, "config", "genesis.json"))
	if err != nil {
		return err
	}
	known, err := finality.TrustGenesis(document)
	if err == nil && known.ChainID != chainID {
		err = fmt.Errorf("it is of chain %s, and the node serves %s", known.ChainID, chainID)
	}
	return err
}

// rate counts the messages of the latest blocks, and over how many seconds they came: from the time of the block
// before the first of them to that of the last.
func (s *statusReport) rate() (messages int, blocks int, seconds uint64) {
	list := s.recent.GetBlocks()
	if len(list) < 2 {
		return 0, 0, 0
	}
	for _, block := range list[:len(list)-1] {
		messages += len(blockMessages(block))
	}
	newest, oldest := list[0].GetBlock().GetHeader().GetTimestamp(), list[len(list)-1].GetBlock().GetHeader().GetTimestamp()
	return messages, len(list) - 1, newest - min(oldest, newest)
}

// headTime is the time of the latest block, in Unix seconds.
func (s *statusReport) headTime() uint64 {
	if list := s.recent.GetBlocks(); len(list) > 0 {
		return list[0].GetBlock().GetHeader().GetTimestamp()
	}
	return 0
}

func (r *remote) printStatus(command *cobra.Command, c *client.Client, s *statusReport) error {
	if r.json {
		return s.writeJSON(command)
	}
	p := r.printer(command)
	facts := []term.Fact{
		{Label: "node", Value: fmt.Sprintf("%s, version %s, up %s", c.Target(), term.Text(s.status.GetVersion()), since(s.status.GetUptimeSecs()))},
		{Label: "chain", Value: fmt.Sprintf("%s (%s)", term.Text(s.status.GetChainId()), word(s.status.GetNetwork(), "NETWORK_"))},
		{Label: "height", Value: fmt.Sprintf("%d, %s", s.status.GetCurrentBlock(), p.Time(s.headTime()))},
		{Label: "state", Value: s.state(p)},
		{Label: "peers", Value: strconv.FormatUint(uint64(s.status.GetPeerCount()), 10)},
		{Label: "mempool", Value: s.describeMempool()},
		{Label: "rate", Value: s.describeRate()},
		{Label: "messages", Value: strconv.FormatUint(s.stats.GetTotalMessages(), 10)},
		{Label: "rows", Value: strconv.FormatUint(uint64(s.stats.GetStateEntries()), 10)},
		{Label: "accounts", Value: strconv.FormatUint(uint64(s.stats.GetTotalAccounts()), 10)},
		{Label: "projects", Value: fmt.Sprintf("%d, with %s and %s", s.stats.GetTotalProjects(),
			term.Count(uint64(s.stats.GetTotalRefs()), "ref"), term.Count(uint64(s.stats.GetTotalCommits()), "commit"))},
	}
	if s.disk != nil {
		facts = append(facts, term.Fact{Label: "disk", Value: bytesOf(*s.disk)})
	}
	p.Facts(facts...)
	return p.Err()
}

// state says whether the node can be relied on.
func (s *statusReport) state(p *term.Printer) string {
	switch {
	case s.status.GetCatchingUp():
		return p.Style(term.Yellow, "catching up")
	case s.health.GetServing() && s.health.GetReady():
		return p.Style(term.Green, "ready")
	default:
		return p.Style(term.Red, "not ready")
	}
}

func (s *statusReport) describeMempool() string {
	text := fmt.Sprintf("%d of %d", s.mempool.GetTotal(), s.mempool.GetCapacity())
	var kinds []string
	for _, kind := range s.mempool.GetTypeBreakdown() {
		kinds = append(kinds, fmt.Sprintf("%d %s", kind.GetCount(), typeWord(kind.GetMessageType())))
	}
	if len(kinds) == 0 {
		return text
	}
	return text + ": " + strings.Join(kinds, ", ")
}

func (s *statusReport) describeRate() string {
	messages, blocks, seconds := s.rate()
	if blocks == 0 {
		return "no blocks yet"
	}
	text := fmt.Sprintf("%s in the last %s", term.Count(uint64(messages), "message"), term.Count(uint64(blocks), "block"))
	if seconds == 0 {
		return text
	}
	return fmt.Sprintf("%s, %.1f a second", text, float64(messages)/float64(seconds))
}

// since says a duration in seconds as people do.
func since(seconds uint64) string {
	return strings.TrimSuffix(term.Relative(time.Duration(seconds)*time.Second), " ago")
}

// bytesOf says a size in the unit that gives it two to four digits.
func bytesOf(size uint64) string {
	const kibi = 1 << 10
	value, units := float64(size), []string{"B", "KiB", "MiB", "GiB"}
	for value >= 10*kibi && len(units) > 1 {
		value, units = value/kibi, units[1:]
	}
	return fmt.Sprintf("%.0f %s", value, units[0])
}

// writeJSON writes the answers of the node as the gateway does, and beside them what was made of them.
func (s *statusReport) writeJSON(command *cobra.Command) error {
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
