import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findTagProblem, longestTag, tagOfRole, tagRoleId } from './member-tags.ts';

describe('a tag', () => {
  test('is spelled by a role id that rules accept, and is read back from it', () => {
    for (const tag of ['Whale', 'Top holder', 'OG_1-2', '巨鲸持有者', 'É', 'a.b:c/d', '长'.repeat(longestTag)]) {
      const roleId = tagRoleId(tag);
      assert.match(roleId, /^[-\w.:@]{1,100}$/);
      assert.equal(tagOfRole(roleId), tag);
    }
  });

  test('is in no other id, and has one spelling', () => {
    for (const roleId of ['member', 'tag:', 'tag:a b', 'tag:.004', 'tag:.0041', 'tag:a/b', '123'])
      assert.equal(tagOfRole(roleId), undefined, roleId);
  });

  test('is refused with the reason if Telegram would refuse it or could not show it', () => {
    for (const tag of ['Whale', 'Top holder', 'L1 & L2', 'x'.repeat(longestTag), 'C++ #1'])
      assert.equal(findTagProblem(tag), undefined);
    for (const [tag, problem] of [
      ['', /Enter the text/],
      [' Whale', /space/],
      ['x'.repeat(longestTag + 1), /at most 16 characters; this one has 17/],
      ['Whale 🐋', /no emoji/],
      ['🇩🇪', /no emoji/],
      ['a\nb', /visible characters/],
      ['a · b', /between the tags/],
    ] as const)
      assert.match(findTagProblem(tag) ?? '', problem, tag);
  });
});
