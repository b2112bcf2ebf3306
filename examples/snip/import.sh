#!/usr/bin/env bash
# Imports a CSV of links into Snip with bash, awk and curl alone: reads the limit's headers, waits as it is told, and creates
# each link once, also when it is stopped or killed and run again.
#
#   SNIP_URL=http://localhost:3000 SNIP_KEY=snip_free_ada ./import.sh data/links.csv
set -euo pipefail
export LC_ALL=C

file=${1:?usage: import.sh <file.csv>}
url=${SNIP_URL:-http://localhost:3000}
key=${SNIP_KEY:-snip_free_ada}

# So many hexadecimal digits of a text's SHA-256.
sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c "1-$1"; }

# What is done is written down for each service and key apart: what is done for one of them is not done for another.
journal=$file.$(printf '%s %s' "$url" "$key" | sha256 8).done
scratch=$(mktemp -d)
created=0 before=0 rejected=0 all=0

finish() {
  rm -rf "$scratch"
  if ((all > 0)); then
    echo "$created created, $before done before, $rejected rejected, $((all - created - before - rejected)) left"
  fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints each row that is not in the journal: the line it begins on, which of several equal rows it is, and what is posted.
# Cells may be quoted (RFC 4180), and columns stand in any order.
rows() {
  JOURNAL=$journal DONE=$scratch/done awk '
    function fail(line, reason) {
      failed = 1
      printf "Line %d: %s\n", line, reason | "cat >&2"
      exit 1
    }
    function json(cell,   at, char, text) {
      for (at = 1; at <= length(cell); at++) {
        char = substr(cell, at, 1)
        text = text (char in escaped ? escaped[char] : char)
      }
      return "\"" text "\""
    }
    function cells_of(record,   count, cell) {
      for (;;) {
        if (match(record, /^"([^"]|"")*"/)) {
          cell = substr(record, 2, RLENGTH - 2)
          record = substr(record, RLENGTH + 1)
          gsub(/""/, "\"", cell)
        } else {
          match(record, /^[^",]*/)
          cell = substr(record, 1, RLENGTH)
          record = substr(record, RLENGTH + 1)
        }
        sub(/^[ \t\r\n]+/, "", cell)
        sub(/[ \t\r\n]+$/, "", cell)
        cells[++count] = cell
        if (record == "") return count
        if (substr(record, 1, 1) != ",") fail(start, "a quote is not closed, or stands inside a cell.")
        record = substr(record, 2)
      }
    }
    BEGIN {
      for (code = 1; code < 32; code++) escaped[sprintf("%c", code)] = sprintf("\\u%04x", code)
      escaped["\b"] = "\\b"; escaped["\t"] = "\\t"; escaped["\n"] = "\\n"; escaped["\f"] = "\\f"; escaped["\r"] = "\\r"
      escaped["\""] = "\\\""; escaped["\\"] = "\\\\"
      while ((getline row < ENVIRON["JOURNAL"]) > 0) done[row]
    }
    {
      if (NR == 1) sub(/^\357\273\277/, "")
      sub(/\r$/, "")
      if (!open) {
        start = NR
        parts = 0
      }
      part[++parts] = $0
      open = (open + gsub(/"/, "&")) % 2
      if (open || (parts == 1 && $0 == "" && NR > 1)) next
      record = part[1]
      for (at = 2; at <= parts; at++) record = record "\n" part[at]
      count = cells_of(record)
    }
    !url {
      for (at = count; at > 0; at--) {
        if (tolower(cells[at]) == "url") url = at
        if (tolower(cells[at]) == "slug") slug = at
      }
      if (!url) fail(1, "it has to name a column \"url\".")
      next
    }
    {
      body = "{\"url\":" json(count >= url ? cells[url] : "")
      if (slug && count >= slug && cells[slug] != "") body = body ",\"slug\":" json(cells[slug])
      row = ++times[body "}"] " " body "}"
      if (row in done) before++
      else print start, row
    }
    END {
      if (failed) exit 1
      if (open) fail(start, "a quote is not closed, or stands inside a cell.")
      if (!url) fail(1, "it has to name a column \"url\".")
      print before + 0 > ENVIRON["DONE"]
    }' "$file"
}

# The value of a header field of the last answer; nothing where there is none.
field() { awk -v name="$1:" 'tolower($1) == name { sub(/\r$/, ""); value = $2 } END { print value }' "$scratch/head"; }

pause() { sleep "$(($1 / 1000)).$(printf '%03d' $(($1 % 1000)))"; }

# Waits as the answer says, never shorter, and at random a little longer; up to twice as long with each failure in a row.
back_off() {
  local told
  told=$(field retry-after)
  if [[ $told =~ ^[0-9]+(\.[0-9]+)?$ ]]; then
    sleep "$told"
  elif [[ -n $told ]]; then
    sleep 60 # It may be a date, of which bash knows nothing.
  fi
  pause $((RANDOM % (500 << ($1 < 6 ? $1 : 6))))
}

# The last fifth of a limit goes as fast as it fills again. So there is always something left, and nothing is refused.
keep_pace() {
  local limit left reset
  limit=$(field ratelimit-limit) left=$(field ratelimit-remaining) reset=$(field ratelimit-reset)
  if [[ ! "$limit $left $reset" =~ ^[0-9]{1,7}\ [0-9]{1,7}\ [0-9]{1,7}$ ]]; then return; fi
  if ((10#$left == 0)); then
    sleep "$reset"
  elif ((10#$left * 5 <= 10#$limit)); then
    pause $((10#$reset * 1000 / (10#$limit - 10#$left)))
  fi
}

# Posts a row until it is created, or rejected for what it says. Its key is made of the row and nothing else: however often
# it is sent, it is one link.
post() {
  local line=$1 row=$2 status failures=0 idempotency_key
  idempotency_key=import-$(printf '%s' "$row" | sha256 32)
  while true; do
    : >"$scratch/head"
    status=$(curl --silent --max-time 30 --dump-header "$scratch/head" --output "$scratch/answer" --write-out '%{http_code}' \
      --header "Authorization: Bearer $key" --header 'Content-Type: application/json' \
      --header "Idempotency-Key: $idempotency_key" --data-binary "${row#* }" "$url/v1/links" </dev/null) || true
    case $status in
      201) created=$((created + 1)) && return ;;
      400 | 409 | 422)
        rejected=$((rejected + 1))
        echo "line $line: $(cat "$scratch/answer")" >&2
        return
        ;;
      429) back_off 0 ;;
      408 | 5?? | 000)
        failures=$((failures + 1))
        if ((failures > 12)); then
          echo "The server is away ($status). Run it again to go on." >&2
          exit 1
        fi
        back_off "$failures"
        ;;
      *) echo "Line $line was answered $status: $(cat "$scratch/answer")" >&2 && exit 1 ;;
    esac
  done
}

# The last line may be torn, where the machine went down while it was written: the next one is not to be a part of it.
touch "$journal"
if [[ -n $(tail -c 1 "$journal") ]]; then echo >>"$journal"; fi

rows >"$scratch/rows"
before=$(cat "$scratch/done")
all=$((before + $(wc -l <"$scratch/rows")))
while read -r line row; do
  post "$line" "$row"
  printf '%s\n' "$row" >>"$journal"
  if [[ -t 2 ]]; then printf '\r%d of %d ' $((created + before + rejected)) "$all" >&2; fi
  keep_pace
done <"$scratch/rows"
