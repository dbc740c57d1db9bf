package rest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// document is the OpenAPI document that the gateway serves. Responses are checked by an implementation of JSON Schema that is
// independent of the gateway and fails on keywords that it does not support.
type document struct {
	Paths      map[string]map[string]*operation
	Components struct {
		Schemas map[string]jsonSchema
		Headers map[string]struct {
			Description string
			Schema      jsonSchema
		}
	}
}

type operation struct {
	ID         string   `json:"operationId"` //nolint:tagliatelle // the name is OpenAPI's
	RPCs       []string `json:"x-rpc"`       //nolint:tagliatelle // so are extensions named
	Parameters []struct {
		Name   string
		Schema jsonSchema
	}
	RequestBody struct {
		Content map[string]struct{ Schema jsonSchema }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema jsonSchema }
		Headers map[string]struct {
			Ref string `json:"$ref"`
		}
	}
}

type jsonSchema map[string]any

func parseDocument(t testing.TB, data []byte) *document {
	t.Helper()
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return &d
}

// find returns the operation of a request; literal segments take precedence.
func (d *document) find(method, path string) *operation {
	var best string
	for template := range d.Paths {
		if matches(template, path) && (best == "" || strings.Count(template, "{") < strings.Count(best, "{")) {
			best = template
		}
	}
	return d.Paths[best][strings.ToLower(method)]
}

func matches(template, path string) bool {
	pattern := regexp.MustCompile(`\\\{[^/]+\\\}`).ReplaceAllString(regexp.QuoteMeta(template), "[^/]+")
	return regexp.MustCompile("^" + pattern + "$").MatchString(path)
}

// check returns the error of a value with its path, or "".
func (d *document) check(s jsonSchema, path string, value any) []string {
	if ref, ok := s["$ref"].(string); ok {
		return d.check(d.Components.Schemas[strings.TrimPrefix(ref, "#/components/schemas/")], path, value)
	}
	if s == nil {
		return []string{path + ": no schema"}
	}
	var wrong []string
	for keyword, want := range s {
		if found := d.checkKeyword(s, keyword, want, path, value); found != nil {
			wrong = append(wrong, found...)
		}
	}
	return wrong
}

func (d *document) checkKeyword(s jsonSchema, keyword string, want any, path string, value any) []string {
	object, isObject := value.(map[string]any)
	list, isList := value.([]any)
	text, isText := value.(string)
	number, isNumber := value.(float64)
	holds := true
	switch keyword {
	case "description", "title", "format", "default", "discriminator", "contentMediaType":
	case "type":
		holds = isOfType(want, value)
	case "enum":
		holds = slices.ContainsFunc(want.([]any), func(one any) bool { return reflect.DeepEqual(one, value) })
	case "pattern":
		holds = !isText || regexp.MustCompile(want.(string)).MatchString(text)
	case "minimum":
		holds = !isNumber || number >= want.(float64)
	case "maximum":
		holds = !isNumber || number <= want.(float64)
	case "maxItems":
		holds = !isList || len(list) <= int(want.(float64))
	case "items":
		var wrong []string
		for i, item := range list {
			wrong = append(wrong, d.check(want.(map[string]any), fmt.Sprintf("%s[%d]", path, i), item)...)
		}
		return wrong
	case "required":
		for _, key := range want.([]any) {
			if _, found := object[key.(string)]; isObject && !found {
				return []string{fmt.Sprintf("%s: %s is missing", path, key)}
			}
		}
	case "properties":
		var wrong []string
		for key, property := range want.(map[string]any) {
			if member, found := object[key]; found {
				wrong = append(wrong, d.check(property.(map[string]any), path+"."+key, member)...)
			}
		}
		return wrong
	case "additionalProperties":
		for key := range object {
			if _, known := s["properties"].(map[string]any)[key]; !known && want == false {
				return []string{fmt.Sprintf("%s: %s is not expected", path, key)}
			}
		}
	case "oneOf":
		return d.checkOneOf(want.([]any), path, value)
	default:
		return []string{fmt.Sprintf("%s: keyword %s is not known", path, keyword)}
	}
	if !holds {
		return []string{fmt.Sprintf("%s: %v, want %s %v", path, value, keyword, want)}
	}
	return nil
}

func (d *document) checkOneOf(choices []any, path string, value any) []string {
	var fits int
	var all []string
	for _, choice := range choices {
		wrong := d.check(choice.(map[string]any), path, value)
		if wrong == nil {
			fits++
		}
		all = append(all, wrong...)
	}
	if fits == 1 {
		return nil
	}
	return append(all, fmt.Sprintf("%s: fits %d of the choices", path, fits))
}

func isOfType(want, value any) bool {
	if many, ok := want.([]any); ok {
		return slices.ContainsFunc(many, func(one any) bool { return isOfType(one, value) })
	}
	switch value := value.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case float64:
		return want == "number" || want == "integer" && value == math.Trunc(value)
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	default:
		return false
	}
}
