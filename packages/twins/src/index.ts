export * from './mail-catcher/index.ts';
