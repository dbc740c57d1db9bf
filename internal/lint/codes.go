package lint

import (
	"go/ast"
	"go/token"
	"strconv"
)

// StringConstants returns the values of the constants of a file that are declared with the named type.
func StringConstants(file *File, typeName string) []string {
	var values []string
	for _, declaration := range file.AST.Decls {
		constants, isGeneric := declaration.(*ast.GenDecl)
		if !isGeneric || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			value, isValue := spec.(*ast.ValueSpec)
			if !isValue {
				continue
			}
			if declared, isIdent := value.Type.(*ast.Ident); isIdent && declared.Name == typeName {
				values = append(values, literals(value.Values)...)
			}
		}
	}
	return values
}

func literals(expressions []ast.Expr) []string {
	var values []string
	for _, expression := range expressions {
		if literal, isLiteral := expression.(*ast.BasicLit); isLiteral {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				values = append(values, text)
			}
		}
	}
	return values
}
