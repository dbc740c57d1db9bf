package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// runCurl implements the options of curl that the pages use, for machines without curl:
// curl [-s] [-N] [-o file] [-H 'Name: value'] [-d text or @file] url. A stream ends after its first two events.
func runCurl() int {
	flags := flag.NewFlagSet("curl", flag.ContinueOnError)
	flags.Bool("s", false, "")
	stream := flags.Bool("N", false, "")
	file := flags.String("o", "", "")
	header := flags.String("H", "", "")
	data := flags.String("d", "", "")
	if err := flags.Parse(os.Args[1:]); err != nil || flags.NArg() != 1 {
		return fail(fmt.Errorf("curl: %v: %w", os.Args, err))
	}
	request, err := curlRequest(flags.Arg(0), *data, *header)
	if err != nil {
		return fail(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = response.Body.Close() }()
	out := os.Stdout
	if *file != "" {
		if out, err = os.Create(*file); err != nil {
			return fail(err)
		}
	}
	if *stream {
		err = copyEvents(out, response.Body, 2)
	} else {
		_, err = io.Copy(out, response.Body)
	}
	if err != nil {
		return fail(err)
	}
	return 0
}

func fail(err error) int {
	_, _ = fmt.Fprintln(os.Stderr, err)
	return 1
}

func curlRequest(target, data, header string) (*http.Request, error) {
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	method, body := http.MethodGet, io.Reader(nil)
	if path, isFile := strings.CutPrefix(data, "@"); isFile {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		data = string(content)
	}
	if data != "" {
		method, body = http.MethodPost, strings.NewReader(data)
	}
	request, err := http.NewRequest(method, target, body) //nolint:noctx // the program exits after its request
	if err != nil {
		return nil, err
	}
	if name, value, isHeader := strings.Cut(header, ": "); isHeader {
		request.Header.Set(name, value)
	}
	return request, nil
}

// copyEvents copies server-sent events, each of which ends with an empty line.
func copyEvents(out io.Writer, in io.Reader, events int) error {
	one := make([]byte, 1)
	before := byte(0)
	for events > 0 {
		if _, err := io.ReadFull(in, one); err != nil {
			return err
		}
		if _, err := out.Write(one); err != nil {
			return err
		}
		if one[0] == '\n' && before == '\n' {
			events--
		}
		before = one[0]
	}
	return nil
}
