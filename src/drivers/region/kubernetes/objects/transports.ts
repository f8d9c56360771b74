import type { DesiredPort } from '../../desired.ts';

type Transport = 'TCP' | 'UDP';

/** The transports of a port, of which some serve both. */
export const transportsOf = ({ protocol }: Pick<DesiredPort, 'protocol'>): readonly Transport[] =>
  protocol === 'tcp_udp' ? ['TCP', 'UDP'] : [protocol === 'udp' ? 'UDP' : 'TCP'];
