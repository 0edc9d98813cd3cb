import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventData, events, isEventType } from '@latchkey/kernel';
import { createAjv } from '@latchkey/kernel/validate';
import { sampleData } from './sample-data.ts';

test('the sample of every event has the data that its schema promises', () => {
  assert.deepEqual(Object.keys(eventData), Object.keys(events));
  const ajv = createAjv();
  for (const type of Object.keys(events).filter(isEventType)) {
    const isValid = ajv.compile(eventData[type]);
    assert.ok(isValid(sampleData(type, 'sample')), `${type}: ${ajv.errorsText(isValid.errors)}`);
  }
});
