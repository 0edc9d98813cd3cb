/** Answers `/other` at once, and runs a hostile query for each `/hostile`: in a separate thread, or on the serving thread. */
import { createServer } from 'node:http';
import { evaluateQuery, queryThreadMs, startQueries } from '@latchkey/core/testing/insides';

/** Queries that compute until they are stopped. Each can be stopped between two steps, so that the baseline survives them too. */
const hostileQueries = [
  '$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })',
  '($f := function($x) { $f($x + 1) }; $f(1))',
  '$sort([1..9999], function($a, $b) { $a < $b })',
  '$count([1..9000].(["a", "b", $]))',
];

const [, , way] = process.argv;
const now = new Date('2026-01-15T12:00:00Z');
const queries = hostileQueries.map((text) => ({ text }));
let [begun, ended] = [0, 0];

function run(): Promise<unknown> {
  const query = queries[begun % queries.length] ?? { text: '1' };
  if (way === 'thread') return evaluateQuery(query, [], {}, { now, leftMs: 500, computedMs: queryThreadMs });
  return startQueries(now).ask({ kind: 'query', query, input: [], variables: {} });
}

// Waiting requests are not aborted, so that all waiting time is counted.
const patience = { keepAliveTimeout: 600_000, requestTimeout: 0, headersTimeout: 0 };
createServer(patience, (request, response) => {
  if (request.url === '/hostile') {
    const end = () => {
      ended += 1;
    };
    run().then(end, end);
    begun += 1;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ begun, ended }));
}).listen({ port: Number(process.env.LATCHKEY_PORT), host: '127.0.0.1', backlog: 4096 });
