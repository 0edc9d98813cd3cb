import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Connection } from './connection.ts';

describe('the connection state', () => {
  test('reports the most urgent problem, and the next one once that is solved', () => {
    const connection = new Connection();
    connection.startWith('a');
    assert.equal(connection.state(), 'connected');
    connection.stream('live', false);
    assert.equal(connection.state(), 'reconnecting');
    connection.unreachable();
    assert.equal(connection.state(), 'away');
    connection.offline(true);
    assert.equal(connection.state(), 'offline');
    connection.reached('b');
    assert.equal(connection.state(), 'outdated');
    connection.reached('a');
    assert.equal(connection.state(), 'outdated', 'until the tab is reloaded');
  });

  test('tells a server that does not answer from one that cannot be reached, whichever was found last', () => {
    const connection = new Connection();
    connection.unreachable();
    connection.silent();
    assert.equal(connection.state(), 'silent');
    connection.unreachable();
    assert.equal(connection.state(), 'away');
    connection.silent();
    connection.stream('live', false);
    assert.equal(connection.state(), 'silent');
    connection.reached(null);
    assert.equal(connection.state(), 'reconnecting');
  });

  test('is connected again once every stream is open', () => {
    const connection = new Connection();
    connection.stream('/one', false);
    connection.stream('/two', false);
    connection.stream('/one', true);
    assert.equal(connection.state(), 'reconnecting');
    connection.stream('/two', true);
    assert.equal(connection.state(), 'connected');
  });

  test('does not call a tab outdated before it knows both builds', () => {
    const connection = new Connection();
    connection.reached('a');
    connection.startWith('a');
    connection.reached(null);
    connection.reached('a');
    assert.equal(connection.state(), 'connected');
  });

  test('notifies its listeners only about changes of the state', () => {
    const connection = new Connection();
    let calls = 0;
    const stop = connection.subscribe(() => {
      calls += 1;
    });
    connection.unreachable();
    connection.unreachable();
    connection.reached(null);
    assert.equal(calls, 2);
    stop();
    connection.unreachable();
    assert.equal(calls, 2);
  });
});
