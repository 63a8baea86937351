kernel void power(CT_ARGS) {}
