package loadtest

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// writtenMetric is the metric of the bytes that the databases of a node have written.
const writtenMetric = "makechain_database_written_bytes_total"

// written returns the bytes that the databases of all nodes with metrics have written, by database and reason, as "state wal".
// A node of another version may not report them.
func (r *run) written(ctx context.Context) (map[string]float64, error) {
	sum := map[string]float64{}
	for _, node := range r.generator.options.Nodes {
		if node.Metrics == "" {
			continue
		}
		if err := addWritten(ctx, node.Metrics, sum); err != nil {
			return nil, fmt.Errorf("metrics of %s: %w", node.Address, err)
		}
	}
	return sum, nil
}

func addWritten(ctx context.Context, address string, sum map[string]float64) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // only read
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		labels, found := strings.CutPrefix(lines.Text(), writtenMetric+`{database="`)
		if !found {
			continue
		}
		database, rest, _ := strings.Cut(labels, `",reason="`)
		reason, value, _ := strings.Cut(rest, `"} `)
		bytes, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", writtenMetric, err)
		}
		sum[database+" "+reason] += bytes
	}
	return lines.Err()
}
