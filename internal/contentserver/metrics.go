package contentserver

import (
	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/content"
)

// A collector exports what a service stores.
type collector struct {
	service                                *content.Service
	bytes, limit, bundles, projects, block *prometheus.Desc
}

func newCollector(service *content.Service) *collector {
	describe := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("makechain_content_"+name, help, nil, nil)
	}
	return &collector{
		service:  service,
		bytes:    describe("bytes", "Size of the stored git bundles."),
		limit:    describe("limit_bytes", "Disk space that content may use, including repositories."),
		bundles:  describe("bundles", "Stored git bundles."),
		projects: describe("projects", "Projects with content."),
		block:    describe("block", "Block up to which the content service has followed the chain."),
	}
}

// Describe is part of prometheus.Collector, like Collect.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, description := range []*prometheus.Desc{c.bytes, c.limit, c.bundles, c.projects, c.block} {
		out <- description
	}
}

// Collect sends the current values.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	stats := c.service.Stats()
	for description, value := range map[*prometheus.Desc]float64{
		c.bytes: float64(stats.Bytes), c.limit: float64(stats.MaxBytes), c.bundles: float64(stats.Bundles),
		c.projects: float64(stats.Projects), c.block: float64(stats.Block),
	} {
		out <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value)
	}
}
