package loadtest

import (
	"time"

	"makechain/bench/process"
	"makechain/bench/report"
	"makechain/bench/workload"
)

// result returns the result of a run.
func (r *run) result() *report.Result {
	window := r.windowEnd.Sub(r.windowStart).Seconds()
	first, last := r.blocks()
	committed, seconds := float64(last.messages-first.messages), last.at.Sub(first.at).Seconds()
	result := &report.Result{
		Parameters: parameters(r.generator.options, r.load, r.plan), Machine: process.ThisMachine(), Version: r.generator.version,

		OfferedPerSecond:   r.load.Rate,
		AcceptedPerSecond:  float64(r.acceptedInWindow.Load()) / window,
		CommittedPerSecond: ratio(committed, seconds),
		Refused:            map[string]int64{},
		Unsettled:          r.acceptedTotal.Load() - r.committed.Load(),
		LateShare:          ratio(float64(r.late.Load()), float64(r.calls.Load())),
		Waits:              r.waits.Load(),

		AcceptedMS: report.LatencyOf(&r.accepted), CommittedMS: report.LatencyOf(&r.readable), StreamMS: report.LatencyOf(&r.streamed),

		BlocksPerSecond:  ratio(float64(last.height-first.height), seconds),
		MessagesPerBlock: ratio(committed, float64(last.height-first.height)),
		MessageBytes:     ratio(float64(r.requestFile.Bytes), float64(r.requestFile.Messages)),
		StateRows:        r.samples[len(r.samples)-1].rows,
		Reads:            r.readResults(),
		Series:           r.series(),
	}
	if r.load.Rate == 0 {
		result.OfferedPerSecond = result.AcceptedPerSecond
	}
	for i := range r.readableParts {
		result.Parts = append(result.Parts, r.partResult(i, result.Machine.Cores))
	}
	for code, n := range r.refused {
		result.Refused[string(code)] = n
	}
	addUsage(result, &r.first, &r.last)
	self := r.last.self.CPU - r.first.self.CPU
	elapsed := r.last.at.Sub(r.first.at).Seconds()
	result.GeneratorCPUSecondsPerMessage = ratio(self.Seconds(), result.CommittedPerSecond*elapsed)
	result.GeneratorCPUShare = ratio(self.Seconds(), elapsed*float64(result.Machine.Cores))
	result.GeneratorRSSBytes = r.last.self.Resident
	return result
}

// partResult returns the result of a part of the window.
func (r *run) partResult(number, cores int) report.Part {
	part := report.Part{CommittedMS: report.LatencyOf(&r.readableParts[number])}
	var within []reading
	var verified time.Duration
	for _, second := range r.perSecond {
		if r.inWindow(second.at) && r.part(second.at) == number {
			within = append(within, second)
			verified += second.verified
		}
	}
	if len(within) == 0 {
		return part
	}
	first, last := &within[0], &within[len(within)-1]
	part.NodeCPUShare = ratio((last.nodes.CPU - first.nodes.CPU).Seconds(), last.at.Sub(first.at).Seconds()*float64(cores))
	part.VerificationSeconds = verified.Seconds() / float64(len(within))
	return part
}

// Modes of a measurement.
const (
	ModeNode     = "node"     // nodes with consensus and network
	ModePipeline = "pipeline" // without consensus and network
)

func parameters(options Options, load Load, plan workload.Plan) report.Parameters {
	return report.Parameters{
		Mode: ModeNode, Seed: options.Seed, Rate: load.Rate, Seconds: load.For.Seconds(), WarmUp: load.WarmUp.Seconds(),
		Batch: load.Batch, Accounts: options.Accounts, Projects: options.Projects, Rows: options.Rows, Lanes: plan.Lanes,
		Validators: len(options.writable()), Followers: len(options.Nodes) - len(options.writable()),
		Protocol: options.Protocol, Delay: options.Delay,
	}
}

// addUsage adds the usage between two readings, per committed message.
func addUsage(result *report.Result, first, last *reading) {
	elapsed := last.at.Sub(first.at).Seconds()
	messages, cpu := result.CommittedPerSecond*elapsed, (last.nodes.CPU - first.nodes.CPU).Seconds()
	result.NodeCPUSecondsPerMessage, result.NodeCPUShare = ratio(cpu, messages), ratio(cpu, elapsed*float64(result.Machine.Cores))
	result.RSSBytes, result.PeakRSSBytes = last.nodes.Resident, last.nodes.Peak
	result.WrittenBytesPerMessage = ratio(float64(last.nodes.Written-first.nodes.Written), messages)
	result.WrittenByDatabase = map[string]float64{}
	for name, bytes := range last.databases {
		result.WrittenByDatabase[name] = ratio(bytes-first.databases[name], messages)
	}
	result.FsyncsPerMessage = ratio(float64(last.flushes-first.flushes), messages)
	result.NetworkBytesPerMessage = ratio(float64(last.network-first.network), messages)
	for i := range last.perNode {
		result.CPUByNode = append(result.CPUByNode, ratio((last.perNode[i]-first.perNode[i]).Seconds(), elapsed))
	}
	result.DiskBytesPerMessage = ratio(float64(last.disk-first.disk), messages)
}

// series returns the run second by second. A message counts as committed in the second in which its block was seen.
func (r *run) series() []report.Second {
	seconds := make([]report.Second, len(r.seconds))
	for i := range seconds {
		seconds[i].Accepted = r.seconds[i]
		if i < len(r.perSecond) {
			seconds[i].Resident, seconds[i].Disk = r.perSecond[i].nodes.Resident, r.perSecond[i].disk
		}
	}
	for i, seen := range r.samples[1:] {
		second := int(seen.at.Sub(r.start) / time.Second)
		if second >= 0 && second < len(seconds) {
			seconds[second].Committed += int64(seen.messages - r.samples[i].messages)
			seconds[second].Blocks += seen.height - r.samples[i].height
		}
	}
	return seconds
}

// ratio returns part/whole, or zero if whole is zero.
func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}
