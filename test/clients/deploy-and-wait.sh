#!/bin/sh
# deploy-and-wait.sh APP_ID: deploys an application, and ends when its job has: with 0 if it has succeeded
set -eu

trellis() { # trellis QUERY VARIABLES: the data of the response
  jq -n --arg query "$1" --argjson variables "$2" '{ $query, $variables }' |
    curl --silent --show-error --fail-with-body --retry 5 "$TRELLIS_URL/graphql" \
      --header "Authorization: Bearer $TRELLIS_TOKEN" --header "Content-Type: application/json" --data @- |
    jq 'if .errors then (.errors[] | "\(.extensions.code): \(.message)\n" | halt_error(1)) else .data end'
}

JOB=$(trellis 'mutation Deploy($appId: Int!) {
  deployApplication(input: { application: { appId: $appId } }) {
    ... on DeployApplicationPayload { job { uid } }
    ... on Error { code message }
  }
}' "{ \"appId\": $1 }" | jq -r '.deployApplication | if .code then "\(.code): \(.message)\n" | halt_error(1) else .job.uid end')

while :; do
  STATUS=$(trellis 'query Job($id: Int!) { job(by: { jobId: $id }) { status error } }' "{ \"id\": $JOB }" | jq -r .job.status)
  case "$STATUS" in
    PENDING | RUNNING) sleep "${INTERVAL:-2}" ;;
    SUCCEEDED) echo "$STATUS" && exit 0 ;;
    *) echo "$STATUS" && exit 1 ;;
  esac
done
