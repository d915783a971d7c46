#!/bin/sh
# As in the official image: arguments are a command of n8n.
exec n8n "$@"
