package rest

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	pb "makechain/gen/makechain"
)

// describeClaims describes the route that collects the attestations of a payment, which a handler beside the gateway serves.
func describeClaims(document *huma.OpenAPI) {
	text := &huma.Schema{Type: huma.TypeString}
	most := float64(1<<32 - 1)
	request := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		"transaction": {Type: huma.TypeString, Pattern: "^(0x)?[0-9a-fA-F]{64}$", Description: "The transaction of the payment on the settlement chain."},
		"log_index": {
			Type: huma.TypeInteger, Minimum: new(float64), Maximum: &most,
			Description: "The index of the payment's log, for a transaction with several payments.",
		},
		"submit": {Type: huma.TypeBoolean, Description: "Submit the claim."},
	}, Required: []string{"transaction"}, AdditionalProperties: false}
	response := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		"owner_address": text, "units": {Type: huma.TypeInteger},
		"claim":    responseSchema(document.Components.Schemas, descriptorOf[pb.StorageClaimBody]()),
		"hash":     {Type: huma.TypeString, Description: "The hash of the submitted message, empty if none was submitted."},
		"accepted": {Type: huma.TypeBoolean, Description: "Whether the submitted message was accepted."},
		"stage":    text, "code": text, "error": text,
	}, Required: []string{"owner_address", "units", "claim", "hash", "accepted", "stage", "code", "error"}}
	operation := &huma.Operation{
		OperationID: "claim-storage", Method: http.MethodPost, Path: "/v1/storage/claims", Tags: []string{tagMessages},
		Summary: "Collect the attestations of a payment for storage",
		Description: "The node requests the attestations from the attesters of the chain, verifies them and returns the claim, which any account may " +
			"submit. With `submit` it also submits the claim; one that is refused has accepted false, with the stage, the code and the reason. The " +
			"storage is for the account that the payment names. The response is 409 while too few attesters have signed: they do when the block of " +
			"the payment is final. An address may have one request at a time.",
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{jsonType: {Schema: request}}},
		Responses: map[string]*huma.Response{
			"200": {Description: "OK.", Content: map[string]*huma.MediaType{jsonType: {Schema: response}}},
		},
	}
	problem := map[string]*huma.MediaType{problemType: {Schema: document.Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "")}}
	for _, status := range []int{
		http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusServiceUnavailable,
	} {
		operation.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status) + ".", Content: problem}
	}
	operation.Responses["default"] = &huma.Response{Description: otherError, Content: problem}
	document.AddOperation(operation)
}
