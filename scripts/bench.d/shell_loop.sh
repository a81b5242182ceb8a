# What shells and builds do: 300 processes that start and end at once, one after the other.
i=0
while [ $i -lt 300 ]; do
  /bin/true
  i=$((i + 1))
done
