# What a shell analyzer does to a text log: one grep a question, the file read anew each time.
export LC_ALL=C.UTF-8
file=$1
content=$(cat "$file")
printf '%s\n' "${#content}"
for word in done complete finished 'all tasks complete' 'project complete' 'ready for review'; do
  grep -qi "$word" "$file" && break
done
grep -ci 'running tests\|npm test\|bats\|pytest\|jest' "$file"
grep -ci 'implementing\|creating\|writing\|adding\|function\|class' "$file"
grep -v '"[^"]*error[^"]*":' "$file" |
  grep -cE '^Error:|^ERROR:|^error:|\]: error|Link: error|Error occurred|failed with error|[Ee]xception|Fatal|FATAL'
for phrase in 'nothing to do' 'no changes' 'already implemented' 'up to date'; do
  grep -qi "$phrase" "$file" && break
done
for question in 'should I' 'would you' 'do you want' 'which approach' 'which option' 'how should' 'what should' 'shall I' \
  'do you prefer' 'can you clarify' 'could you' 'what do you think' 'please confirm' 'need clarification' \
  'awaiting.*input' 'waiting.*response' 'your preference'; do
  printf '%s\n' "$content" | grep -ciw "$question"
done
grep -i 'summary\|completed\|implemented' "$file" | head -1
grep -E '^[[:space:]]*(---RALPH_STATUS---|RALPH_STATUS:)' "$file" | tail -1
