#!/usr/bin/env bash
# Deploys. Carefully.
set -euo pipefail

source "$(dirname "$0")/common.sh"
. ./env # settings

readonly VERSION="1.0"
export TARGET=${TARGET:-prod}
log_file=/tmp/x
DEBUG=1 make all

# Prints usage.
usage() {
  cat <<'EOF'
usage() { }
}
EOF
}

function build_all {
  local name="${1#*\}}"
  case "$name" in
    a) echo "}" ;;
    (b) echo '{' ;;
  esac
  for x in "$(ls "$name")"; do echo "$#" # }
  done
}

_private-name () ( echo sub; )

배포() { echo "$((1 + 2))"; }

if [[ $1 =~ ^\( ]]; then
  usage
fi
