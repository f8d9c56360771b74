// Loaded into a process: deliveries that it had when it was killed are sent again soon.
const { deliveryDefaults } = await import(`${process.env.TRELLIS_BUILT}/domain/webhook/delivery/model.js`);
Object.assign(deliveryDefaults, { leaseMs: 1_500, pollMs: 200, backoffMinMs: 50, backoffMaxMs: 200 });
