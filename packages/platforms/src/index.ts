export * from './discord/index.ts';
export * from './reddit/index.ts';
export * from './telegram/index.ts';
export * from './x/index.ts';
