"""Source code in seven languages: values that come from calls, configuration, types and tests."""

from __future__ import annotations

import random

from support.benign.words import fill

_PYTHON = (
    "    password = getpass.getpass(prompt)",
    "    {name} = config.get('{name2}', default=None)",
    "    token = os.environ['{VENDOR}_TOKEN']",
    "    {vendor}_key = settings.{vendor}.key or fallback_key",
    "def {verb}_{name}(token: str, secret: bytes | None = None) -> {Camel}:",
    "    self.api_key = api_key",
    "    return hmac.compare_digest(self._secret, secret)",
    "        tokens = tokenizer.encode(text, max_tokens={n})",
    "    assert {name}.token == expected_token",
    "    for key, value in sorted({name}.items(), key=lambda pair: pair[1]):",
    "    client = {Vendor}Client(token=token, api_key=self._api_key, secret=secret)",
    "    password: str = Field(repr=False)",
    "    headers = {{'Authorization': f'Bearer {{token}}', 'X-Api-Key': self.key}}",
    "    if not password or password != confirm:",
    "        raise ValueError('password must not be empty')",
    "    digest = hashlib.sha256(secret).hexdigest()  # {short}",
    "EXPECTED = '{sha}'",
    "    key = ('{noun}', {n}, '{noun2}')",
    "    parser.add_argument('--token', help='{vendor} token; default: the keyring')",
    "    primary_key = Column(Integer, primary_key=True)",
    "    {vendor}_url = f'https://api.{vendor2}.com/v1/{{project}}/keys'",
    "from {vendor}.auth import Token, Secret  # noqa: F401",
    "    auth = HTTPBasicAuth(user, password)",
    "    secret = vault.read(path)['data'][name]",
)
_TYPESCRIPT = (
    "  const token = await auth.getToken({{ scope: '{noun}' }});",
    "  if (event.key === 'Escape' || event.key === 'Enter') {{",
    "export interface {Camel} {{ password: string; token?: string; apiKey: ApiKey | null }}",
    "  const {camel} = process.env.{VENDOR}_API_KEY ?? '';",
    "  headers: {{ Authorization: `Bearer ${{token}}`, 'x-api-key': apiKey }},",
    "  const {{ password, confirm }} = form.values;",
    '  <input type="password" name="password" autoComplete="current-password" />',
    "  secret: Secret.fromSecretNameV2(this, 'Secret', name),",
    "  return items.map((item) => <Row key={{item.id}} token={{item.token}} />);",
    "  const secret = crypto.randomBytes(32).toString('hex');",
    "  expect(result.token).toBe(token);",
    "type Token = {{ kind: 'word' | 'number'; text: string; start: number }};",
    "  const {camel2} = new {Camel}Client({{ apiKey: config.apiKey, secret: config.secret }});",
    "  password: z.string().min(8),",
    '  placeholder="Enter your {vendor} API key"',
    "  auth: {{ username, password: passwordFromKeyring(service) }},",
    "  // {commit}: the {vendor} token is refreshed by the worker",
    "  localStorage.removeItem('{camel}Token');",
)
_RUST = (
    '    let token = std::env::var("{VENDOR}_TOKEN").unwrap_or_default();',
    "    pub token: Option<String>,",
    "    let secret: [u8; 32] = rng.random();",
    "    match token {{ Token::Word(text) => text.len(), Token::Number(n) => n.width() }}",
    "impl From<Secret> for Password {{ fn from(secret: Secret) -> Self {{ Self(secret.0) }} }}",
    "    let key = Key::from_slice(&{name}[..32]);",
    "    assert_eq!(parse(input), Ok(Token::Password));",
    '    .header(AUTHORIZATION, format!("Bearer {{token}}"))',
    "    password: &'a str,",
    "    let {name2} = map.entry(key).or_insert_with(Vec::new);",
    "// upstream fix: {commit}",
)
_GO = (
    '\ttoken := os.Getenv("{VENDOR}_TOKEN")',
    '\tPassword string `json:"password,omitempty"`',
    "\tif err := bcrypt.CompareHashAndPassword(hash, []byte(password)); err != nil {{",
    '\treq.Header.Set("Authorization", "Bearer "+token)',
    "\tkey, err := rsa.GenerateKey(rand.Reader, 2048)",
    '\tsecret := viper.GetString("{vendor}.secret")',
    "\t{camel} := {vendor}.NewClient(token, {vendor}.WithSecret(secret))",
    "type {Camel} struct {{ APIKey, Secret, Token string }}",
    "\tcase token.IDENT, token.STRING: // {short}",
    '\tauth := smtp.PlainAuth("", user, password, host)',
)
_JAVA = (
    "    private final String password;",
    '    String token = System.getenv("{VENDOR}_TOKEN");',
    '    this.apiKey = Objects.requireNonNull(apiKey, "apiKey");',
    '    @Value("${{{vendor}.secret}}") private String secret;',
    '    char[] password = console.readPassword("Password: ");',
    '    KeyStore store = KeyStore.getInstance("PKCS12");',
    "    Token token = tokens.get(index); // {short}",
    '    builder.header("Authorization", "Bearer " + token);',
    "    assertThat(user.getPassword()).isEqualTo(encoded);",
    "    private static final long serialVersionUID = {n}{n2}L;",
)
_SQL = (
    "CREATE TABLE {name} (id INTEGER PRIMARY KEY, token TEXT NOT NULL, password_hash BYTEA);",
    "SELECT token, secret FROM {name} WHERE key = $1 AND password = crypt($2, password);",
    "ALTER TABLE {name} ADD CONSTRAINT fk_token FOREIGN KEY (token) REFERENCES tokens (id);",
    "UPDATE users SET password = :password, token = NULL WHERE id = '{uuid}';",
    "CREATE UNIQUE INDEX {name2}_key ON {name} (token, secret);",
    "GRANT SELECT ON {name} TO reader; -- password is set by the operator",
    "INSERT INTO commits VALUES ('{commit}', '{who}', '{time}');",
)
_SHELL = (
    'export {VENDOR}_TOKEN="$(pass show {vendor}/token)"',
    'curl -H "Authorization: Bearer $TOKEN" https://api.{vendor}.com/v1/{noun}s',
    "read -rsp 'Password: ' password && echo",
    "git checkout {commit} && git log --oneline -n {n}",
    'docker run -e PASSWORD -e API_KEY="${{API_KEY}}" app@sha256:{sha}',
    "kubectl create secret generic {noun}-{noun2} --from-file=key.pem --from-literal=token=$TOKEN",
    "{vendor} auth login --with-token < token.txt",
    "if [ -z \"$SECRET\" ]; then echo 'set SECRET first' >&2; exit 1; fi",
    "PGPASSWORD=$PASSWORD psql -h localhost -U {who} app",
    "openssl rand -hex 32 > secret.key",
    "ssh-keygen -t ed25519 -C {who}@example.com -f ~/.ssh/id_ed25519",
    'gh secret set {VENDOR}_TOKEN --body "$TOKEN"',
    "grep -rn 'password' src | grep -v test_{name}.py",
)


def _lines(choose: random.Random, templates: tuple[str, ...]) -> str:
    return "\n".join(fill(choose, choose.choice(templates)) for _ in range(12))


def python(choose: random.Random) -> str:
    return _lines(choose, _PYTHON)


def typescript(choose: random.Random) -> str:
    return _lines(choose, _TYPESCRIPT)


def rust(choose: random.Random) -> str:
    return _lines(choose, _RUST)


def go(choose: random.Random) -> str:
    return _lines(choose, _GO)


def java(choose: random.Random) -> str:
    return _lines(choose, _JAVA)


def sql(choose: random.Random) -> str:
    return _lines(choose, _SQL)


def shell(choose: random.Random) -> str:
    return _lines(choose, _SHELL)
