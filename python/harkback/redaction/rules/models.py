"""Keys of model providers, of routers between them, and of what agents call beside them."""

from __future__ import annotations

from harkback.model import Rule
from harkback.redaction.rules.forms import ALNUM, HEX, URL, WORD, prefixed

RULES = (
    Rule(
        id="openai-key",
        kind="run",
        keywords=("sk-",),
        reason="OpenAI API key, and the many providers that copied its form",
        # The newer forms may begin with words; the digit keeps `sk-learn-...` out.
        shape=r"sk-(?:(?:proj|svcacct|admin|or-v1|lf)-)?[A-Za-z_-]{0,40}[0-9][A-Za-z0-9_-]{12}",
        boundary=True,
        run=URL,
    ),
    Rule(
        id="openai-key-plain",
        kind="run",
        keywords=("sk-",),
        reason="OpenAI API key in one piece, with or without a digit",
        shape=r"sk-(?:(?:proj|svcacct|admin|test|live|prod)-)?[A-Za-z0-9]{16}",
        boundary=True,
        run=URL,
    ),
    Rule(
        id="openai-key-mark",
        kind="run",
        keywords=("t3blbkfj",),
        reason="OpenAI API key by the mark in its middle, whatever it is glued to",
        shape=r"T3BlbkFJ[A-Za-z0-9_-]{16}",
        back=URL,
        run=URL,
    ),
    prefixed("anthropic-key", "Anthropic API, admin, OAuth or session key", "sk-ant-", URL, 12),
    prefixed(
        "huggingface-token",
        "Hugging Face user or organisation token",
        "hf_ api_org_",
        ALNUM,
        30,
        boundary=True,
    ),
    prefixed("groq-key", "Groq API key", "gsk_", ALNUM, 30),
    prefixed("xai-key", "xAI API key", "xai-", ALNUM, 30),
    prefixed("perplexity-key", "Perplexity API key", "pplx-", ALNUM, 24),
    prefixed("replicate-token", "Replicate API token", "r8_", ALNUM, 30, boundary=True),
    prefixed("tavily-key", "Tavily API key", "tvly-", URL, 20),
    prefixed("nvidia-key", "NVIDIA API key", "nvapi-", URL, 32),
    prefixed("fireworks-key", "Fireworks API key", "fw_", ALNUM, 20, boundary=True),
    prefixed("together-key", "Together API key", "tgp_v1_", URL, 24),
    prefixed("cerebras-key", "Cerebras API key", "csk-", ALNUM, 32),
    prefixed("voyage-key", "Voyage API key", "pa-", URL, 40, boundary=True, validator="random"),
    prefixed("jina-key", "Jina API key", "jina_", URL, 32),
    prefixed("langsmith-key", "LangSmith key", "lsv2_pt_ lsv2_sk_ ls__", WORD, 24),
    prefixed("pinecone-key", "Pinecone API key", "pcsk_ pckey_", WORD, 24),
    prefixed("firecrawl-key", "Firecrawl API key", "fc-", HEX, 30, boundary=True),
    prefixed("e2b-key", "E2B API key", "e2b_", ALNUM, 30),
    prefixed("runpod-key", "RunPod API key", "rpa_", ALNUM, 30, boundary=True),
    prefixed("cursor-key", "Cursor API key", "crsr_", ALNUM, 32),
    prefixed("cursor-user-key", "Cursor user API key", "key_", HEX, 60, boundary=True),
    prefixed("vercel-gateway-key", "Vercel AI gateway key", "vck_", ALNUM, 20),
    prefixed(
        "elevenlabs-key",
        "ElevenLabs API key, and others of its form",
        "sk_",
        ALNUM,
        29,
        boundary=True,
    ),
    prefixed("mem0-key", "Mem0 API key", "m0-", ALNUM, 32, boundary=True),
    prefixed("n8n-key", "n8n API key", "n8n_api_", ALNUM, 24),
    prefixed("dify-key", "Dify knowledge key", "dataset-", ALNUM, 24, validator="mixed"),
    prefixed("modal-token", "Modal token", "ak- as-", ALNUM, 20, boundary=True, validator="mixed"),
    prefixed("langfuse-key", "Langfuse public key of a pair", "pk-lf-", URL, 32),
    Rule(
        id="zhipu-key",
        kind="run",
        keywords=("zhipu", "glm", "bigmodel", "zai_api_key"),
        reason="Zhipu: an id, a dot and a secret beside the name",
        shape=r"(?:[zZ][hH][iI][pP][uU]|[gG][lL][mM]|[bB]ig[mM]odel|(?:ZAI|zai)_(?:API|api)_(?:KEY|key))"
        r"""[\w.-]{0,32}[\\"'`\])*]{0,5}[ \t]{0,8}[=:>,]{1,2}[ \t]{0,8}[\\"'`(]{0,6}"""
        r"([a-f0-9]{32}\.[A-Za-z0-9]{16})",
        run=ALNUM,
    ),
)
