kernel void power(CT_ARGS) { Y_SAVE(ID_B, ID_T, ID_C, X_LOAD(ID_B, ID_T, ID_C)); }
