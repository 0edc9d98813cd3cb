import { AppError } from '@latchkey/kernel';
import type { SubscriptionPlan } from './plan.ts';

type PlanFeature = NonNullable<SubscriptionPlan['features']>[number];
export type FeatureName = PlanFeature['identifier'];

const titles: Readonly<Record<FeatureName, string>> = {
  MINIAPP: 'this mini-app',
  ON_DEMAND_BALANCE_CHECK: 'on-demand role checks',
  PLAN: 'another plan',
  PREMIUM_SUPPORT: 'premium support',
  TWITTER_TGR: 'rules about X accounts',
};

/** Returns the features of these plans, including those of the plans that they contain (PLAN). */
export function featuresOf(all: readonly SubscriptionPlan[], planIds: readonly string[]): PlanFeature[] {
  const seen = new Set<string>();
  const waiting = [...planIds];
  const features: PlanFeature[] = [];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const own = all.find(({ sk }) => sk === `PLAN#${id}`)?.features ?? [];
    features.push(...own);
    for (const { identifier, metadata = [] } of own)
      if (identifier === 'PLAN') waiting.push(...[metadata].flat().map((name) => name.replace(/^PLAN#/, '')));
  }
  return features;
}

/** Whether the features include the wanted one. A feature without details covers everything of its kind. */
export function includesFeature(features: readonly PlanFeature[], wanted: FeatureName, detail?: string): boolean {
  return features.some(({ identifier, metadata }) => {
    if (identifier !== wanted) return false;
    return metadata === undefined || detail === undefined || [metadata].flat().includes(detail);
  });
}

/** Creates the error that says which plan does not include something, and which do. */
export function notInPlan(
  all: readonly SubscriptionPlan[],
  planIds: readonly string[],
  wanted: FeatureName,
  detail?: string,
): AppError {
  const nameOf = ({ name }: SubscriptionPlan) => name;
  const own = all.filter(({ sk }) => planIds.includes(sk.slice('PLAN#'.length))).map(nameOf);
  const others = all
    .filter(({ sk }) => includesFeature(featuresOf(all, [sk.slice('PLAN#'.length)]), wanted, detail))
    .map(nameOf);
  const has = own.length === 0 ? 'No plan of this community includes' : `The plan ${own.join(', ')} does not include`;
  const hint = others.length === 0 ? 'No plan on this server does.' : `These plans do: ${others.join(', ')}.`;
  return new AppError('PLAN_LIMIT_REACHED', `${has} ${titles[wanted]}. ${hint}`);
}
