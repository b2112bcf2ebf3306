#!/usr/bin/env bash
# Imports a CSV of links (url,slug; no quotes) into Snip with curl alone: reads the limit's headers, waits as it is told,
# and creates each link once, also when it is stopped and run again.
#
#   SNIP_URL=http://localhost:3000 SNIP_KEY=snip_free_ada ./import.sh data/links.csv
set -euo pipefail

file=${1:?usage: import.sh <file.csv>}
url=${SNIP_URL:-http://localhost:3000}
key=${SNIP_KEY:-snip_free_ada}
progress="$file.progress-sh"
touch "$progress"
head=$(mktemp)
answer=$(mktemp)
trap 'rm -f "$head" "$answer"' EXIT

# The value of a header field of the last answer; nothing where there is none.
field() { tr -d '\r' <"$head" | sed -n "s/^$1: *//Ip" | tail -n 1; }

# A text as it stands in JSON.
json() { printf '"%s"' "$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"; }

# Seconds as they should be waited for: a whole number, or else the given default.
seconds() { if [[ ${1:-} =~ ^[0-9]{1,7}$ ]]; then echo "$1"; else echo "$2"; fi; }

created=0 before=0 rejected=0
{
  read -r _ # the header line
  # The last line may have no end.
  while IFS=, read -r link slug || [ -n "$link" ]; do
    slug=${slug%$'\r'}
    # The same row has the same key in every run, so the server knows it again where an answer was lost.
    row=$(printf '%s,%s' "$link" "$slug" | sha256sum | cut -c 1-32)
    if grep -qxF "$row" "$progress"; then
      before=$((before + 1))
      continue
    fi
    body="{\"url\":$(json "$link")${slug:+,\"slug\":$(json "$slug")}}"
    failures=0
    while :; do
      : >"$head"
      status=$(curl --silent --max-time 30 --dump-header "$head" --output "$answer" --write-out '%{http_code}' \
        --header "Authorization: Bearer $key" --header 'Content-Type: application/json' \
        --header "Idempotency-Key: sh-$row" \
        --data "$body" "$url/v1/links" </dev/null || true)
      case $status in
        2*) created=$((created + 1)) && echo "$row" >>"$progress" && break ;;
        429) sleep "$(seconds "$(field retry-after)" 1)" ;;
        401) echo 'The API key is not known.' >&2 && exit 1 ;;
        4*) rejected=$((rejected + 1)) && echo "$row" >>"$progress" && echo "rejected: $link $(cat "$answer")" >&2 && break ;;
        *) # 5xx, or no answer at all: back off, twice as long each time, with a random part
          failures=$((failures + 1))
          [ "$failures" -gt 8 ] && echo "The server is away (${status:-no answer}). Run it again to go on." >&2 && exit 1
          told=$(seconds "$(field retry-after)" 0)
          sleep "$((told + RANDOM % (1 << (failures < 5 ? failures : 5)))).$((RANDOM % 10))"
          ;;
      esac
    done
    # Nothing is left: the reset is waited for rather than a refusal.
    [ "$(field ratelimit-remaining)" = 0 ] && sleep "$(seconds "$(field ratelimit-reset)" 1)"
  done
} <"$file"
echo "$created created, $before done before, $rejected rejected"
