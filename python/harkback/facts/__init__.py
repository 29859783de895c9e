"""Distilled facts: what a host, or a person, keeps of past Sessions in short sentences.

``base`` says what a store of facts is, ``memory`` reads a host's database, ``files`` the memory
files of a project, ``store`` writes a database for a host that has none; ``search`` finds facts,
``evidence`` leads from one to the Messages it was taken from, ``showing`` cuts them to size.
"""
