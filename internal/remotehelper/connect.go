package remotehelper

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/storeclient"
	"makechain/message"
)

// agent is the name of this program in git's protocol.
const agent = "agent=git-remote-makechain"

// connect serves protocol version 2 to git, if a store serves git. Otherwise git uses the fetch command.
func (h *Helper) connect(ctx context.Context, service string) (done bool, err error) {
	if service != "git-upload-pack" {
		return false, h.print("fallback\n")
	}
	if err := h.open(ctx, false); err != nil {
		return false, err
	}
	if !slices.ContainsFunc(h.sources, (*storeclient.Store).ServesGit) && len(h.project.visibleRefs()) > 0 {
		h.fetchesFiles = true
		return false, h.print("fallback\n")
	}
	if err := h.advertise(ctx); err != nil {
		return true, err
	}
	buffer := make([]byte, maxPacketData)
	for {
		request, err := readRequest(h.in, buffer)
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return true, err
		}
		switch request.command {
		case "ls-refs":
			err = h.lsRefs(request)
		case fetchCommand:
			err = h.forward(ctx, request)
		default:
			err = fmt.Errorf("git sent an unknown request %q", request.command)
		}
		if err == nil {
			_, err = h.out.Write(appendSpecial(nil, responseEndPacket))
		}
		if err = errors.Join(err, h.out.Flush()); err != nil {
			return true, err
		}
	}
}

// advertise confirms the connection and sends the capabilities of the protocol.
func (h *Helper) advertise(ctx context.Context) error {
	answer := []byte("\n")
	answer = appendLine(answer, "version 2")
	answer = appendLine(answer, "%s", agent)
	answer = appendLine(answer, "ls-refs=unborn")
	answer = appendLine(answer, "fetch=shallow filter")
	answer = appendLine(answer, "object-format=%s", h.project.format(h.localFormat(ctx)))
	answer = appendSpecial(answer, flushPacket)
	if _, err := h.out.Write(answer); err != nil {
		return err
	}
	return h.out.Flush()
}

// lsRefs answers a request for refs from the proven ones.
func (h *Helper) lsRefs(r *request) error {
	prefixes := r.values("ref-prefix ")
	isWanted := func(name string) bool {
		return len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	}
	var answer []byte
	refs, head := h.project.visibleRefs(), h.project.Head()
	at := slices.IndexFunc(refs, func(ref Ref) bool { return ref.Name == head })
	switch {
	case !isWanted("HEAD"):
	case at >= 0 && r.has("symrefs"):
		answer = appendLine(answer, "%s HEAD symref-target:%s", refs[at].id(), head)
	case at >= 0:
		answer = appendLine(answer, "%s HEAD", refs[at].id())
	case r.has("unborn"):
		answer = appendLine(answer, "unborn HEAD symref-target:%s", head)
	}
	for i := range refs {
		if !isWanted(refs[i].Name) {
			continue
		}
		if r.has("peel") && refs[i].TagObject != (message.Hash{}) {
			answer = appendLine(answer, "%s %s peeled:%s", refs[i].id(), refs[i].Name, gitid.String(refs[i].Commit))
		} else {
			answer = appendLine(answer, "%s %s", refs[i].id(), refs[i].Name)
		}
	}
	_, err := h.out.Write(appendSpecial(answer, flushPacket))
	return err
}

// forward sends a fetch request to the stores in turn, until one gives a valid answer.
func (h *Helper) forward(ctx context.Context, r *request) error {
	var failed []error
	complete := false
	for i := 0; ; i++ {
		if i == len(h.sources) && !complete {
			complete = true
			if err := h.openOnChain(ctx); err != nil {
				return err
			}
		}
		if i == len(h.sources) {
			break
		}
		source := h.sources[i]
		if !source.ServesGit() {
			continue
		}
		hasPack, err := h.forwardTo(ctx, source, r)
		if err == nil {
			// Git checks the objects when they have arrived, and then only reports that the remote has not sent all.
			if hasPack && (h.onChain[source] || !r.has("no-progress")) {
				h.note("objects from %s", source.Name)
			}
			// Later requests of this connection go to the same store first.
			h.sources[0], h.sources[i] = h.sources[i], h.sources[0]
			return nil
		}
		if lost := (*outputError)(nil); errors.As(err, &lost) || ctx.Err() != nil {
			return err
		}
		failed = append(failed, &storeError{source.Name, err})
		h.note("%v", failed[len(failed)-1])
	}
	return h.refuse(h.failure("all objects", failed))
}

// refuse answers a request with an error, which git prints.
func (h *Helper) refuse(err error) error {
	text := h.named(err.Error())
	if _, failed := h.out.Write(appendLine(nil, "ERR %s", text[:min(len(text), maxPacketData-len("ERR \n"))])); failed != nil {
		return failed
	}
	return nil
}

// forwardTo sends a fetch request to one store. When it returns an error other than an outputError, git has not seen
// anything of the answer.
func (h *Helper) forwardTo(ctx context.Context, source *storeclient.Store, r *request) (hasPack bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, err := source.UploadPack(ctx, h.project.ID, h.project.Private, r.encode(source.CanFilter))
	if err != nil {
		return false, err
	}
	defer body.Close() //nolint:errcheck // it was only read
	held := newSpool(h.out)
	defer held.discard()
	progress := &progressPrinter{out: h.Notes}
	hasPack, err = copyResponse(bufio.NewReaderSize(body, bufferSize), r, held, progress.write)
	progress.finish()
	if err != nil {
		if held.released {
			return false, &outputError{&storeError{source.Name, err}}
		}
		return false, err
	}
	return hasPack, held.release()
}

// localFormat returns the object format of the repository that git runs in, and SHA-1 outside of one.
func (h *Helper) localFormat(ctx context.Context) gitbundle.Format {
	printed, err := h.Config.inner.git(ctx, nil, "rev-parse", "--show-object-format")
	if err != nil || gitbundle.Format(printed).Digits() == 0 {
		return gitbundle.SHA1
	}
	return gitbundle.Format(printed)
}
