const R=process.env.ROOT??'/work/wtF';
const { Aimd } = require(R+'/nodes/gateway/rateLimit/aimd');
const { LearnedLimit } = require(R+'/nodes/gateway/rateLimit/learnedLimit');
const { LaneLimits } = require(R+'/nodes/gateway/rateLimit/limit');
export const createLimit=()=>new LaneLimits(()=>new LearnedLimit());
export const createAimd=()=>new Aimd(20);
