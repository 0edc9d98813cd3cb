export { startAnswerProxy } from './answer-proxy.ts';
export { bound } from './bound.ts';
export { fuzzAnswers } from './fuzz-answers.ts';
export { listenLocally } from './listen-locally.ts';
export { readYaml } from './read-yaml.ts';
export { seed, seedNumber } from './seed.ts';
export { shareOf, takeSome, takeTurns } from './turns.ts';
export { until } from './until.ts';
export { volume } from './volume.ts';
