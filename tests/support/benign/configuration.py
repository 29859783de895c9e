"""Configuration that refers to secrets and holds none: YAML, Helm, Terraform, JSON."""

from __future__ import annotations

import random

from support.benign.words import fill

_YAML = (
    "        - name: {NOUN}_PASSWORD\n          valueFrom:\n            secretKeyRef:\n"
    "              name: {noun}-{noun2}\n              key: password",
    "  password: {{{{ .Values.{camel}.password | b64enc | quote }}}}",
    "  token: ${{{{ secrets.{VENDOR}_TOKEN }}}}",
    "  existingSecret: {noun}-{noun2}",
    "  secretName: {vendor}-credentials",
    "  auth:\n    enabled: true\n    provider: {vendor}",
    "image: {vendor}/{noun}@sha256:{sha}",
    "  key: {noun}-${{{{ hashFiles('**/lock.json') }}}}",
    "  - uses: {vendor}/{noun}@{commit}",
    "  tokens: {n}\n  max_tokens: {n2}",
    "  privateKeySecretRef:\n    name: {noun}-key",
    "  tokenTTL: {n}s\n  passwordPolicy: strict",
    "  checksum/secret: {sha}",
)
_TERRAFORM = (
    'variable "{name}_password" {{\n  type      = string\n  sensitive = true\n}}',
    "  password = var.{name}_password",
    "  secret_id = aws_secretsmanager_secret.{name}.id",
    '  token = data.vault_generic_secret.{vendor}.data["token"]',
    '  key_name = "{noun}-{noun2}"',
    '  kms_key_id = "arn:aws:kms:eu-west-1:{n}:key/{uuid}"',
    "  api_key = module.{vendor}.api_key",
    '  source = "git::https://github.com/{vendor}/{noun}.git?ref={commit}"',
    "  master_password = random_password.{name}.result",
)
_JSON = (
    '{{"name": "{name}", "type": "password", "required": true, "secret": null}}',
    '{{"label": "{noun}", "value": {n}, "token_type": "bearer", "id": "{uuid}"}}',
    '{{"tool": "bash", "input": {{"command": "grep -n password src/{name}.py"}}}}',
    '{{"usage": {{"input_tokens": {n}, "output_tokens": {n2}}}, "sha": "{commit}"}}',
    '{{"description": "The {vendor} token", "auth": false, "apiKey": "${{{VENDOR}_API_KEY}}"}}',
    '{{"password": "", "token": "<token>", "secret": "***", "apiKey": "YOUR_API_KEY"}}',
    '{{"session_id": "{uuid}", "cwd": "/home/{who}/{noun}", "version": "1.{n}.0"}}',
    r'{{"text": "{{\"key\": \"{noun}\", \"tokens\": {n}}}\nthe password: never shown"}}',
)


def _lines(choose: random.Random, templates: tuple[str, ...]) -> str:
    return "\n".join(fill(choose, choose.choice(templates)) for _ in range(12))


def yaml(choose: random.Random) -> str:
    return _lines(choose, _YAML)


def terraform(choose: random.Random) -> str:
    return _lines(choose, _TERRAFORM)


def json_text(choose: random.Random) -> str:
    return _lines(choose, _JSON)
