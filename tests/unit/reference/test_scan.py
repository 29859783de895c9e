"""The raw scan on both engines: what it must offer, and what it may leave out."""

from __future__ import annotations

import pytest

from harkback.reference import scanner

OFFERED = {
    rb'["Context WINDOW"]': "context window",
    rb'{"Model": 1}': "model",
    rb'"mod\u0065l"': "model",
    rb'"\u6A21\u578b"': "模型",
    rb'"a\/b"': "a/b",
    rb'"say \"hi\""': 'say "hi"',
    rb'"C:\\Temp"': "c:\\temp",
    rb'"two\nlines"': "two\nlines",
    rb'"{\"k\":\"v\"}"': '"k":"v"',
    rb'"cut \ud83d"': "cut \ufffd",
    rb'"nul \u0000"': "nul \ufffd",
    b'"bad \xff byte"': "bad \ufffd byte",
    b'"worse \xff byte"': "byte",
    '"ＭＯＤＥＬ，ｶﾞ"'.encode(): "model,ガ",
    '"e\u0301te\u0301"'.encode(): "été",
    '"i\u0307x"'.encode(): "ix",
    '"Straße"'.encode(): "strasse",
    b'"' + b"-" * 100_000 + b'Needle"': "needle",
    # Undecodable: nobody can vouch that it holds nothing.
    rb'"\x41"': "absent",
}
REFUSED = {
    rb'["context"]': "window",
    rb'["con", "text"]': "context",
    b"17": "1",
    '"é"'.encode(): "e",
    '"e\u0301"'.encode(): "e",
    rb'"mod\u0065l"': "mode1",
    rb'"\u001b[0m\n"': "n",
    '"日志，“引号”"'.encode(): '"',
}


@pytest.mark.parametrize("record", OFFERED, ids=lambda record: repr(record[:24]))
def test_offers(engine, record):
    assert engine.scanner([OFFERED[record]]).first([record]) == 0
    assert engine.scanner(["absent too", OFFERED[record]]).first([b'"x"', record]) == 1


@pytest.mark.parametrize("record", REFUSED, ids=repr)
def test_the_reference_offers_nothing_else(record):
    assert scanner([REFUSED[record]]).first([record]) is None


def test_leaves_out_what_holds_nothing(engine):
    records = [
        '{"日志": "，“引号”。\\n\\u001b[0m café 가 😀 \\u00e9"}'.encode(),
        b"",
        b"17",
        b'"x"',
    ]
    assert engine.scanner(["model", "模型", "a,b"]).first(records) is None


def test_first_is_the_index_of_the_first(engine):
    records = [b'"no"', b'"YES"', b'"yes"']
    assert engine.scanner(["yes"]).first(records) == 1
    assert engine.scanner(["yes", "no"]).first(tuple(records)) == 0
    assert engine.scanner(["yes"]).first([]) is None
    assert engine.scanner([]).first(records) is None
