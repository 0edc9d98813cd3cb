import type { Config } from '../config.ts';

/** What the bot of the sample guild logs in with. It opens the twin and nothing else. */
export const sampleBot = { id: '400000000000000001', token: 'sample-bot.of-the.discord-twin' } as const;

/** The chain that the twins bring along. */
export const sampleChain = '31337';

/**
 * The configuration with the twins in the place of what the operator did not configure. Their addresses follow from the
 * ports alone, so that every process and command of one installation finds them.
 */
export function withTwins(config: Config): Config {
  if (!config.tryOut) return config;
  const chainUrl = `http://127.0.0.1:${config.tryOutPort + 1}`;
  return {
    ...config,
    discordBotToken: config.discordBotToken ?? sampleBot.token,
    discordClientId: config.discordClientId ?? sampleBot.id,
    discordApiUrl:
      config.discordBotToken === undefined ? `http://127.0.0.1:${config.tryOutPort}/api` : config.discordApiUrl,
    evmRpcUrls: new Map([[sampleChain, [chainUrl]], ...config.evmRpcUrls]),
    // It makes a block for each transaction and never takes one back, so there is no depth to wait for.
    gating: { ...config.gating, followDepths: { [`evm:${sampleChain}`]: 0 } },
  };
}
