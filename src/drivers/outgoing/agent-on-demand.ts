import type { Dispatcher } from 'undici';
import { onDemand } from '../../kernel/on-demand.ts';
import type { AgentOptions } from './agent.ts';

/** An agent that is made for its first request: loading undici takes a twentieth of a start, and most starts call nobody. */
export function agentOnDemand(options: AgentOptions) {
  let made: Dispatcher | undefined;
  const agent = onDemand(async () => {
    const { createAgent } = await import('./agent.ts');
    made = createAgent(options);
    return made;
  });
  return {
    request: async (request: Dispatcher.RequestOptions) => (await agent()).request(request),
    /** Also ends running requests. */
    destroy: async () => made?.destroy(),
  };
}
