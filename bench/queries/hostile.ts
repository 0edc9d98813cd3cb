/** Queries that compute until they are stopped. Each is stopped between two steps, so that the old way survives them too. */
export const hostileQueries = [
  '$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })',
  '($f := function($x) { $f($x + 1) }; $f(1))',
  '$sort([1..9999], function($a, $b) { $a < $b })',
  '$count([1..9000].(["a", "b", $]))',
];
