package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// World is the name that stands for all regions.
const World = "world"

// localRTT is the round-trip time in milliseconds between two nodes of one region.
const localRTT = 1

// regionNames are the regions of the table, in its order.
//
// read-only: never modified
var regionNames = []string{"virginia", "oregon", "saopaulo", "ireland", "frankfurt", "mumbai", "singapore", "tokyo", "sydney"}

// roundTrips are typical round-trip times in milliseconds between data centres of public clouds in these regions, rounded. Row i
// has the times to the regions before it.
//
// read-only: never modified
var roundTrips = [][]float64{
	{},
	{65},
	{115, 175},
	{68, 125, 178},
	{92, 145, 203, 25},
	{190, 220, 300, 122, 123},
	{220, 165, 330, 175, 160, 57},
	{150, 98, 257, 202, 225, 127, 70},
	{200, 140, 312, 255, 285, 150, 92, 105},
}

// Regions returns the names of all regions.
func Regions() []string { return slices.Clone(regionNames) }

// RoundTrip returns the round-trip time between two regions.
func RoundTrip(a, b string) time.Duration {
	i, j := slices.Index(regionNames, a), slices.Index(regionNames, b)
	milliseconds := float64(localRTT)
	if i != j {
		milliseconds = roundTrips[max(i, j)][min(i, j)]
	}
	return time.Duration(milliseconds * float64(time.Millisecond))
}

// Placement is the region of each node.
type Placement struct {
	Name  string
	nodes []string
}

// Place places a number of nodes in regions, in turn.
func Place(regions []string, nodes int) (*Placement, error) {
	name := strings.Join(regions, ", ")
	if name == World {
		regions = regionNames
	}
	if len(regions) == 0 {
		return nil, fmt.Errorf("no regions: want %s, or some of %s", World, strings.Join(regionNames, ", "))
	}
	placed := &Placement{Name: name}
	for i := range nodes {
		region := regions[i%len(regions)]
		if !slices.Contains(regionNames, region) {
			return nil, fmt.Errorf("unknown region %q: want %s, or some of %s", region, World, strings.Join(regionNames, ", "))
		}
		placed.nodes = append(placed.nodes, region)
	}
	return placed, nil
}

// Delay returns the one-way latency between two nodes, by their numbers.
func (p *Placement) Delay(from, to int) time.Duration {
	return RoundTrip(p.nodes[from], p.nodes[to]) / 2
}
