"""Prose in four languages about software work: it names secrets and holds none."""

from __future__ import annotations

import random

from support.benign.words import fill

_ENGLISH = (
    "The {noun} is read once when the worker starts, and the {noun2} is kept in memory.",
    "I would not log the password: it ends up in places nobody looks at.",
    "Password: the thing users forget. Token: the thing they paste into a chat.",
    "Could you rename `{name}` to `{name2}` and run the tests again?",
    "A token is a unit of text; the model sees {n} tokens, not characters.",
    "The key of the map is the {noun}, and its value is the number of {noun2}s.",
    "If the secret is missing, {verb} it from the vault and {verb2} the {noun} afterwards.",
    "We rotate the {vendor} API key every 90 days, and the {vendor2} token with each release.",
    "{Vendor} key is stored in the keychain, {vendor2} token is to be revoked by {who} on Monday.",
    "What does `auth: true` do here? It tells the client to send the header with each request.",
    "Use --token to sign in, or --password if your account has no second factor.",
    "The bearer of bad news: bearer authentication fails when the clock is wrong.",
    "Basic authentication sends the name and the password with every request, so use TLS.",
    "Secret sharing splits a secret into parts; any three of them restore it.",
    "In commit {commit} the {noun} cache was moved, and {short} reverts it.",
    "The credential helper asks git for user and password, then stores nothing.",
    "My recovery phrase is written on paper, and the mnemonic is never typed on this machine.",
    "The card has rounded corners, the session cookie expires after {n} minutes.",
    "Set API_KEY in the environment; the example uses YOUR_API_KEY as a placeholder.",
    "Authorization: who may do what. Authentication: who you are. Both need a token of some form.",
    "Please check that the secret key is not committed, that private_key is ignored by git.",
    "Pin the version of {vendor}: 4.2.1 works, 4.3.0 breaks the {noun} parser.",
    "The digest sha256:{sha} belongs to the image of last week.",
    "See issue {uuid}, opened by {who}, closed by {who2} at {time}.",
    "The passphrase must have at least {n} characters, and the passcode six digits.",
    "There is a linear scan over the segment, so travis and sonar both run out of time.",
    "Tokens: {n} in, {n2} out. Secret: no. Cached: yes.",
)
_CHINESE = (
    "密码是用户最容易忘记的东西，令牌则经常被贴进聊天记录里。",
    "请把 `{name}` 改名为 `{name2}`，然后再跑一遍测试。",
    "密码：至少八个字符，包含数字和字母。口令：由管理员发放。",
    "这个函数读取 {noun} 以后会更新缓存，密钥只保存在内存中。",
    "令牌过期以后要重新登录，服务器会返回 401 错误。",
    "我们每 90 天轮换一次 {vendor} 的密钥，由 {who} 负责。",
    "提交 {commit} 修改了 {noun} 的解析方式，{short} 又改回去了。",
    "不要把密码写进日志，也不要把令牌放进网址。",
    "密钥管理服务（KMS）负责加密，应用只拿到密文。",
    "助记词要写在纸上，不要拍照，也不要存到网盘。",
    "如果口令错误超过 5 次，账号会被锁定 {n} 分钟。",
    "这里的 token 是分词的单位，一共有 {n} 个。",
    "镜像摘要是 sha256:{sha}，和上周的不一样。",
    "密码: 请输入。令牌: 请选择。密钥: 自动生成。",
    "卡号字段要做校验，验证码由短信发送。",
    "配置项 api_key 为空时，从环境变量读取。",
)
_GERMAN = (
    "Das Passwort wird beim Start gelesen und danach nur noch als Hash gehalten.",
    "Passwort: mindestens zwölf Zeichen. Token: eine Einheit des Textes.",
    "Bitte benenne `{name}` in `{name2}` um und lass die Tests noch einmal laufen.",
    "Der Schlüssel der Abbildung ist der {noun}, der Wert die Anzahl der {noun2}s.",
    "Das Token läuft nach {n} Minuten ab, danach meldet der Server einen Fehler.",
    "Wir tauschen den Schlüssel für {vendor} alle 90 Tage, {who} kümmert sich darum.",
    "Mit Commit {commit} kam der Fehler, {short} behebt ihn.",
    "Die Sitzung gehört {who}, das Geheimnis liegt im Tresor und nicht im Repository.",
    "Passwort vergessen? Dann hilft nur die Zurücksetzung über {vendor}.",
    "Straße, Maß und Größe: die Suche muss ß und ss gleich behandeln.",
    "Das Abbild sha256:{sha} ist vom {time}.",
    "Secret heißt hier ein Kubernetes-Objekt, credential ein Eintrag im Schlüsselbund.",
    "Die Vorgangsnummer lautet {uuid}.",
)
_JAPANESE = (
    "パスワードは起動時に一度だけ読み込まれ、その後はハッシュとして保持されます。",
    "トークン: テキストの単位です。パスワード: 八文字以上にしてください。",
    "`{name}` を `{name2}` に変更して、もう一度テストを実行してください。",
    "このマップのキーは {noun} で、値は {noun2} の数です。",
    "トークンの有効期限は {n} 分で、切れるとサーバーは 401 を返します。",
    "{vendor} のキーは 90 日ごとに {who} さんが更新します。",
    "コミット {commit} で壊れて、{short} で直りました。",
    "ログに password を出力しないでください。secret も同じです。",
    "イメージのダイジェストは sha256:{sha} です。",
    "シークレットは金庫にあり、リポジトリにはありません。",
    "復元フレーズは紙に書いて、写真に撮らないでください。",
    "受付番号は {uuid} です。ｶﾅも全角も同じように検索できます。",
)


def _paragraph(choose: random.Random, sentences: tuple[str, ...], joint: str) -> str:
    return joint.join(fill(choose, choose.choice(sentences)) for _ in range(choose.randint(2, 6)))


def english(choose: random.Random) -> str:
    return _paragraph(choose, _ENGLISH, " ") + "\n"


def chinese(choose: random.Random) -> str:
    return _paragraph(choose, _CHINESE, "") + "\n"


def german(choose: random.Random) -> str:
    return _paragraph(choose, _GERMAN, " ") + "\n"


def japanese(choose: random.Random) -> str:
    return _paragraph(choose, _JAPANESE, "") + "\n"
