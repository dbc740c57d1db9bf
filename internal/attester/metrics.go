package attester

import (
	"errors"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the counters of an attester. Gauges are computed when they are collected.
type metrics struct {
	disagreements, signed, rescans, differences prometheus.Counter
	refused                                     *prometheus.CounterVec // by reason
}

const metricPrefix = "makechain_attester_"

func newMetrics(registerer prometheus.Registerer, a *Attester) (*metrics, error) {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: metricPrefix + name, Help: help})
	}
	m := &metrics{
		disagreements: counter("disagreements_total", "How often providers began to disagree."),
		signed:        counter("signed_total", "Signatures that were made."),
		rescans:       counter("rescans_total", "Rescans that ended."),
		differences:   counter("rescan_differences_total", "Payments that rescans found and scans had not, or the reverse."),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: metricPrefix + "refused_total", Help: "Requests for attestations that were refused, by reason.",
		}, []string{"reason"}),
	}
	for _, reason := range reasons {
		m.refused.WithLabelValues(string(reason))
	}
	if registerer == nil {
		return m, nil
	}
	var errs []error
	for _, collector := range []prometheus.Collector{m.disagreements, m.signed, m.rescans, m.differences, m.refused, newCollector(a)} {
		errs = append(errs, registerer.Register(collector))
	}
	return m, errors.Join(errs...)
}

// A collector exports the state of an attester.
type collector struct {
	attester                                *Attester
	payments, block, lag, finalized, halted *prometheus.Desc
}

func newCollector(a *Attester) *collector {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(metricPrefix+name, help, labels, nil)
	}
	return &collector{
		attester:  a,
		payments:  describe("payments", "Payments that are stored."),
		block:     describe("block", "Last block of the settlement chain whose payments are stored."),
		lag:       describe("lag_blocks", "Finalized blocks that were not read yet."),
		finalized: describe("finalized_block", "Newest finalized block of a provider, which is numbered as on the command line.", "provider"),
		halted:    describe("halted", "1 for the reason why new payments are not signed.", "reason"),
	}
}

// Describe is part of prometheus.Collector, like Collect.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, description := range []*prometheus.Desc{c.payments, c.block, c.lag, c.finalized, c.halted} {
		out <- description
	}
}

// Collect sends the current values.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	status := c.attester.Status()
	gauge := func(description *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value, labels...)
	}
	gauge(c.payments, float64(status.Payments))
	gauge(c.block, float64(status.Block))
	gauge(c.lag, float64(status.Lag))
	for i, provider := range status.Providers {
		gauge(c.finalized, float64(provider.Finalized), strconv.Itoa(i))
	}
	for _, reason := range reasons {
		value := 0.0
		if string(reason) == status.Reason {
			value = 1
		}
		gauge(c.halted, value, string(reason))
	}
}
