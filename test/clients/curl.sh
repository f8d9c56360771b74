#!/bin/sh
# curl.sh TEAM: the applications of a team, one a line
set -eu

jq -n --arg team "$1" '{
  query: "query Applications($team: TeamRef!) { team(by: $team) { applications(first: 100) { nodes { name } } } }",
  variables: { team: { name: $team } }
}' | curl --silent --show-error --fail-with-body "$TRELLIS_URL/graphql" \
  --header "Authorization: Bearer $TRELLIS_TOKEN" --header "Content-Type: application/json" --data @- |
  jq -r 'if .errors then (.errors[] | "\(.extensions.code): \(.message)" | halt_error(1)) else .data.team.applications.nodes[].name end'
