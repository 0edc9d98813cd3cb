import type { OpenRules } from '../evaluation/index.ts';
import { type Condition, type RoleComposition, sortByDependence } from '../rules/index.ts';
import { type Bdd, BddManager } from './bdd.ts';
import type { Encoding } from './encode.ts';

/** The part of a rule set that decides a role: its rules, the compositions about it, and the same of the roles they name. */
export function partFor({ rules, compositions }: OpenRules, roleIds: Iterable<string>): OpenRules {
  const needed = new Set(roleIds);
  for (const roleId of needed)
    for (const { roleId: target, condition } of compositions)
      if (target === roleId) for (const id of Object.keys(condition)) needed.add(id);
  return {
    rules: rules.filter(({ roleId }) => needed.has(roleId)),
    compositions: compositions.filter(({ roleId }) => needed.has(roleId)),
  };
}

export function conditionsOf({ rules }: OpenRules): Condition[] {
  return rules.flatMap((open) => ('rule' in open ? [open.rule.condition] : []));
}

/** The roles that a rule or a composition decides. */
export function decidedRoles({ rules, compositions }: OpenRules): string[] {
  return [...new Set([...rules, ...compositions].map(({ roleId }) => roleId))];
}

export function hasUnreadable({ rules }: OpenRules): boolean {
  return rules.some((open) => 'problem' in open);
}

export function findCycle({ compositions }: OpenRules): string[] {
  return [...new Set(sortByDependence(compositions).circular.map(({ roleId }) => roleId))];
}

export function givesRole({ action }: RoleComposition): boolean {
  return action === 'add' || action === 'addOrRemove';
}

/** A role while compositions are applied: whether anything has decided it, and if so how. */
interface RoleState {
  isDecided: Bdd;
  isGiven: Bdd;
}

const undecided: RoleState = { isDecided: BddManager.no, isGiven: BddManager.no };

/**
 * Who has which role after rules and compositions, as `composeRoles` applies them. A rule that cannot be read gives nothing:
 * it makes roles unknown, and what is unknown is not given. Guest passes are left out: admins issue those by name.
 */
export class RoleFunctions {
  readonly #encoding: Encoding;
  readonly #states = new Map<string, RoleState>();
  readonly #circular: ReadonlySet<string>;

  /** `ignoredRuleId` names a rule whose condition is never met, while it still decides its role. */
  constructor(encoding: Encoding, { rules, compositions }: OpenRules, ignoredRuleId?: string) {
    this.#encoding = encoding;
    const { bdds } = encoding;
    for (const open of rules) {
      const isMet =
        'rule' in open && open.id !== ignoredRuleId ? encoding.condition(open.rule.condition) : BddManager.no;
      const isGiven = bdds.or(this.#stateOf(open.roleId).isGiven, isMet);
      this.#states.set(open.roleId, { isDecided: BddManager.yes, isGiven });
    }
    const { ordered, circular } = sortByDependence(compositions);
    for (const composition of ordered) this.#apply(composition);
    this.#circular = new Set(circular.map(({ roleId }) => roleId));
  }

  /** The rules give the role: what stays unknown gives nothing, and a role that nothing decides is not given. */
  given(roleId: string): Bdd {
    if (this.#circular.has(roleId)) return BddManager.no;
    const { isDecided, isGiven } = this.#stateOf(roleId);
    return this.#encoding.bdds.and(isDecided, isGiven);
  }

  /** The member has the role: the rules give it, or nothing decides it and they have it. */
  held(roleId: string): Bdd {
    return this.#circular.has(roleId) ? BddManager.no : this.#now(roleId);
  }

  /** The condition of a composition is met, by the roles as they are when it applies. */
  meets(composition: RoleComposition): Bdd {
    return this.#encoding.composition(composition, (id) => this.#now(id));
  }

  #apply(composition: RoleComposition): void {
    const { bdds } = this.#encoding;
    const { isDecided, isGiven } = this.#stateOf(composition.roleId);
    const isMet = this.meets(composition);
    const effect = givesRole(composition) ? BddManager.yes : BddManager.no;
    const canReverse = composition.action === 'addOrRemove' || composition.action === 'removeOrAdd';
    const isReversed = canReverse ? bdds.not(isDecided) : BddManager.no;
    this.#states.set(composition.roleId, {
      isDecided: bdds.or(isDecided, isMet, isReversed),
      isGiven: bdds.ifThenElse(isMet, effect, bdds.ifThenElse(isReversed, bdds.not(effect), isGiven)),
    });
  }

  #stateOf(roleId: string): RoleState {
    return this.#states.get(roleId) ?? undecided;
  }

  #now(roleId: string): Bdd {
    const { isDecided, isGiven } = this.#stateOf(roleId);
    if (isDecided === BddManager.yes) return isGiven;
    return this.#encoding.bdds.ifThenElse(isDecided, isGiven, this.#encoding.holdsRole(roleId));
  }
}
