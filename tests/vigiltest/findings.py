# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/api/findings-1.schema.json as an oracle, by jsonschema (Debian: python3-jsonschema)."""
import json
import pathlib
import warnings

try:
    import jsonschema
except ImportError:
    jsonschema = None

MISSING = None if jsonschema else "there is no module jsonschema (Debian: python3-jsonschema); nothing was held against the schema"
API = pathlib.Path(__file__).parents[2] / "docs" / "api"


class Findings:
    """Holds documents against one definition of the schema each, and counts them."""

    def __init__(self):
        self.schema = json.loads((API / "findings-1.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.openapi = json.loads((API / "openapi.json").read_text(encoding="utf-8"))
        self.counts = {}

    def errors(self, definition, document):
        """What is wrong, as texts; empty: nothing."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # newer versions have another class for this
            resolver = jsonschema.RefResolver("file:///findings-1.schema.json", self.schema, store={"file:///openapi.json": self.openapi})
            validator = jsonschema.Draft202012Validator({"$ref": f"file:///findings-1.schema.json#/$defs/{definition}"}, resolver=resolver)
            return [e.message[:600] for e in validator.iter_errors(document)]

    def check(self, definition, document):
        wrong = self.errors(definition, document)
        if wrong:
            raise AssertionError(f"{definition}: {wrong}: {json.dumps(document)[:2000]}")
        self.counts[definition] = self.counts.get(definition, 0) + 1

    def message(self, document):
        """One of an element: its own definition first, whose words help more than those of all."""
        wrong = self.errors("fields-" + document["name"], document)
        if wrong:
            raise AssertionError(f"{document['name']}: {wrong}: {json.dumps(document)[:2000]}")
        self.check("message", document)
        self.counts[document["name"]] = self.counts.get(document["name"], 0) + 1
